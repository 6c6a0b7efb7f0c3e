-- Roundbook's schema as of revision 0004, with a record in it.
-- All data is simulated (tests/releases/campaign.py, seed 20260101): no score of a real system.
-- Kept for good: never edit it, never make it again.

--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: roundbook; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA roundbook;


--
-- Name: note_event(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.note_event() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    PERFORM set_config('roundbook.told', NEW.id::text, true);
    RETURN NULL;
END $$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    RAISE EXCEPTION '% of roundbook.% is refused: what is logged stays as it is',
        TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', HINT = 'Log a revision instead.';
END $$;


--
-- Name: refuse_gap(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_gap() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
    same text;
    follows boolean;
BEGIN
    SELECT string_agg(format('earlier.%1$I = $1.%1$I', key), ' AND ') INTO same
    FROM unnest(TG_ARGV[1:]) AS key;
    EXECUTE format(
        'SELECT $1.%1$I = 1 OR EXISTS (SELECT FROM roundbook.%2$I AS earlier'
        ' WHERE earlier.%1$I = $1.%1$I - 1 AND %3$s)',
        TG_ARGV[0], TG_TABLE_NAME, same
    ) INTO follows USING NEW;
    IF NOT follows THEN
        RAISE EXCEPTION 'the % of a % follows on the one before', TG_ARGV[0], TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $_$;


--
-- Name: refuse_half_a_factor_set(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_half_a_factor_set() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    topics bigint;
    runs bigint;
    factors bigint;
    listed bigint;
BEGIN
    SELECT matrix.topics, matrix.runs INTO topics, runs
    FROM roundbook.matrix WHERE id = NEW.matrix_id;
    SELECT count(*) INTO factors FROM roundbook.factor WHERE factor_set_id = NEW.id;
    SELECT count(*) INTO listed FROM roundbook.factor_set_run WHERE factor_set_id = NEW.id;
    IF factors <> topics THEN
        RAISE EXCEPTION 'factor set % has factors of % topics, not of %', NEW.id, factors, topics
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.standardising <> 'all' OR listed > 0 THEN
        runs := listed;
    END IF;
    IF NEW.runs <> runs THEN
        RAISE EXCEPTION 'factor set % says that % runs standardise it, but % do',
            NEW.id, NEW.runs, runs
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_half_a_matrix(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_half_a_matrix() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    vectors bigint;
    topics bigint;
BEGIN
    SELECT count(*) INTO vectors FROM roundbook.score_vector WHERE matrix_id = NEW.id;
    SELECT count(*) INTO topics FROM roundbook.matrix_topic WHERE matrix_id = NEW.id;
    IF vectors <> NEW.runs OR topics <> NEW.topics THEN
        RAISE EXCEPTION 'matrix % says % topics and % runs but has % and %',
            NEW.id, NEW.topics, NEW.runs, topics, vectors
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NOT EXISTS (
        SELECT FROM roundbook.variance_estimate WHERE matrix_id = NEW.id AND scale = 'raw'
    ) THEN
        RAISE EXCEPTION 'matrix % has no variance', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM roundbook.event WHERE matrix_id = NEW.id) THEN
        RAISE EXCEPTION 'no event tells of matrix %', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_late_estimate(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_late_estimate() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(part.matrix_id) INTO late
    FROM added AS part
    LEFT JOIN roundbook.matrix ON matrix.id = part.matrix_id
    LEFT JOIN roundbook.factor_set ON factor_set.id = part.factor_set_id
    WHERE coalesce(factor_set.xmin, matrix.xmin) IS DISTINCT FROM pg_current_xact_id()::xid;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'matrix % has its variance estimates and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_late_part(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_late_part() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
    late bigint;
BEGIN
    EXECUTE format(
        'SELECT max(part.%2$I) FROM added AS part LEFT JOIN roundbook.%1$I AS whole'
        ' ON whole.id = part.%2$I'
        ' WHERE whole.xmin IS DISTINCT FROM pg_current_xact_id()::xid',
        TG_ARGV[0], TG_ARGV[1]
    ) INTO late;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION '% % is finished and takes no further %', TG_ARGV[0], late, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $_$;


--
-- Name: refuse_some_runs(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_some_runs() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    partly record;
BEGIN
    SELECT factor_set.id, factor_set.runs, listed.runs AS listed INTO partly
    FROM (
        SELECT factor_set_id, count(*) AS runs FROM roundbook.factor_set_run
        WHERE factor_set_id IN (SELECT factor_set_id FROM added) GROUP BY factor_set_id
    ) AS listed
    JOIN roundbook.factor_set ON factor_set.id = listed.factor_set_id
    WHERE factor_set.runs <> listed.runs
    ORDER BY factor_set.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'factor set % says that % runs standardise it, but % do',
            partly.id, partly.runs, partly.listed
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_unpublishing(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_unpublishing() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF OLD.status = 'published' AND NEW.status <> 'published' THEN
        RAISE EXCEPTION 'round % is published and stays so', OLD.label
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: refuse_untold(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_untold() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
    told text := current_setting('roundbook.told', true);
BEGIN
    IF NOT EXISTS (
        SELECT FROM roundbook.event
        WHERE id = CASE WHEN told ~ '^[0-9]{1,18}$' THEN told::bigint END
            AND xmin = pg_current_xact_id()::xid
    ) THEN
        RAISE EXCEPTION 'no event tells of this change of %', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $_$;


--
-- Name: refuse_without_reason(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_without_reason() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF coalesce(NEW.reason, '') = '' AND EXISTS (
        SELECT FROM roundbook.round WHERE id = NEW.round_id AND status = 'published'
    ) THEN
        RAISE EXCEPTION 'a published round takes a % only with a reason', CASE TG_TABLE_NAME WHEN 'matrix' THEN 'score matrix' ELSE 'published variance' END
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alembic_version; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: matrix; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.matrix (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    measure_id bigint NOT NULL,
    assessments text NOT NULL,
    revision integer NOT NULL,
    reason text,
    topics integer NOT NULL,
    runs integer NOT NULL,
    content_hash text NOT NULL,
    missing_policy text NOT NULL,
    missing_cells integer NOT NULL,
    dropped_topics text[] NOT NULL,
    files text[] NOT NULL,
    layout text NOT NULL,
    tool text,
    software text NOT NULL,
    logged_at timestamp with time zone DEFAULT now() NOT NULL,
    logged_by text NOT NULL,
    CONSTRAINT matrix_logged_at CHECK (((logged_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (logged_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT matrix_missing_policy CHECK ((missing_policy = ANY (ARRAY['reject'::text, 'zero'::text, 'drop-topic'::text]))),
    CONSTRAINT matrix_revised_for_a_reason CHECK (((revision = 1) OR (COALESCE(reason, ''::text) <> ''::text))),
    CONSTRAINT matrix_size CHECK (((topics >= 2) AND (runs >= 1)))
);


--
-- Name: withdrawal; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.withdrawal (
    matrix_id bigint NOT NULL,
    number integer NOT NULL,
    withdrawn boolean NOT NULL,
    reason text NOT NULL,
    software text NOT NULL,
    decided_at timestamp with time zone DEFAULT now() NOT NULL,
    decided_by text NOT NULL,
    CONSTRAINT withdrawal_decided_at CHECK (((decided_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (decided_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT withdrawal_in_turn CHECK (((number >= 1) AND (withdrawn = ((number % 2) = 1)))),
    CONSTRAINT withdrawal_reason CHECK ((reason <> ''::text))
);


--
-- Name: withdrawn; Type: VIEW; Schema: roundbook; Owner: -
--

CREATE VIEW roundbook.withdrawn AS
 SELECT last.matrix_id,
    last.number,
    last.reason,
    last.decided_at,
    last.decided_by
   FROM ( SELECT DISTINCT ON (withdrawal.matrix_id) withdrawal.matrix_id,
            withdrawal.number,
            withdrawal.withdrawn,
            withdrawal.reason,
            withdrawal.software,
            withdrawal.decided_at,
            withdrawal.decided_by
           FROM roundbook.withdrawal
          ORDER BY withdrawal.matrix_id, withdrawal.number DESC) last
  WHERE last.withdrawn;


--
-- Name: current_matrix; Type: VIEW; Schema: roundbook; Owner: -
--

CREATE VIEW roundbook.current_matrix AS
 SELECT latest.id,
    latest.round_id,
    latest.measure_id,
    latest.assessments,
    latest.revision
   FROM ( SELECT DISTINCT ON (matrix.round_id, matrix.measure_id, matrix.assessments) matrix.id,
            matrix.round_id,
            matrix.measure_id,
            matrix.assessments,
            matrix.revision
           FROM roundbook.matrix
          ORDER BY matrix.round_id, matrix.measure_id, matrix.assessments, matrix.revision DESC) latest
  WHERE (NOT (EXISTS ( SELECT
           FROM roundbook.withdrawn
          WHERE (withdrawn.matrix_id = latest.id))));


--
-- Name: drift_report; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.drift_report (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    number integer NOT NULL,
    measure_id bigint NOT NULL,
    assessments text NOT NULL,
    from_factor_set_id bigint NOT NULL,
    to_factor_set_id bigint NOT NULL,
    note text,
    result jsonb NOT NULL,
    software text NOT NULL,
    saved_at timestamp with time zone DEFAULT now() NOT NULL,
    saved_by text NOT NULL,
    CONSTRAINT drift_report_result CHECK ((jsonb_typeof(result) = 'object'::text)),
    CONSTRAINT drift_report_saved_at CHECK (((saved_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (saved_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT drift_report_two_ends CHECK ((from_factor_set_id <> to_factor_set_id))
);


--
-- Name: drift_report_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.drift_report ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.drift_report_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: event; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.event (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    who text,
    what text NOT NULL,
    task_id bigint,
    round_id bigint,
    matrix_id bigint,
    why text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    software text NOT NULL,
    CONSTRAINT event_at CHECK (((at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT event_what CHECK ((what <> ''::text))
);


--
-- Name: event_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: factor; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.factor (
    factor_set_id bigint NOT NULL,
    topic_id bigint NOT NULL,
    matrix_id bigint NOT NULL,
    mean double precision NOT NULL,
    sd double precision NOT NULL,
    CONSTRAINT factor_mean CHECK (((mean > '-Infinity'::double precision) AND (mean < 'Infinity'::double precision))),
    CONSTRAINT factor_sd CHECK (((sd >= (0)::double precision) AND (sd < 'Infinity'::double precision)))
);


--
-- Name: factor_set; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.factor_set (
    id bigint NOT NULL,
    matrix_id bigint NOT NULL,
    round_id bigint NOT NULL,
    measure_id bigint NOT NULL,
    assessments text NOT NULL,
    version integer NOT NULL,
    standardising text NOT NULL,
    runs integer NOT NULL,
    zero_sd text NOT NULL,
    reason text,
    software text NOT NULL,
    fitted_at timestamp with time zone DEFAULT now() NOT NULL,
    fitted_by text NOT NULL,
    CONSTRAINT factor_set_fitted_at CHECK (((fitted_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (fitted_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT factor_set_runs CHECK ((runs >= 2)),
    CONSTRAINT factor_set_standardising CHECK ((standardising = ANY (ARRAY['all'::text, 'pooled'::text, 'chosen'::text]))),
    CONSTRAINT factor_set_version CHECK ((version >= 1)),
    CONSTRAINT factor_set_zero_sd CHECK ((zero_sd = ANY (ARRAY['average'::text, 'drop'::text])))
);


--
-- Name: factor_set_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.factor_set ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.factor_set_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: factor_set_run; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.factor_set_run (
    factor_set_id bigint NOT NULL,
    matrix_id bigint NOT NULL,
    run_id bigint NOT NULL
);


--
-- Name: matrix_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.matrix ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.matrix_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: matrix_topic; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.matrix_topic (
    matrix_id bigint NOT NULL,
    "position" integer NOT NULL,
    topic_id bigint NOT NULL,
    topics integer NOT NULL,
    CONSTRAINT matrix_topic_position CHECK ((("position" >= 0) AND ("position" < topics)))
);


--
-- Name: measure; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.measure (
    id bigint NOT NULL,
    name text NOT NULL,
    family text NOT NULL,
    cutoff integer,
    parameters jsonb DEFAULT '{}'::jsonb NOT NULL,
    lower_bound double precision,
    upper_bound double precision,
    CONSTRAINT measure_bounds CHECK ((lower_bound < upper_bound)),
    CONSTRAINT measure_cutoff CHECK ((cutoff > 0)),
    CONSTRAINT measure_finite_bounds CHECK (((lower_bound > '-Infinity'::double precision) AND (upper_bound < 'Infinity'::double precision)))
);


--
-- Name: measure_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.measure ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.measure_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: plan; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.plan (
    id bigint NOT NULL,
    name text NOT NULL,
    task_id bigint,
    version integer NOT NULL,
    note text,
    result jsonb NOT NULL,
    software text NOT NULL,
    saved_at timestamp with time zone DEFAULT now() NOT NULL,
    saved_by text NOT NULL,
    CONSTRAINT plan_named CHECK ((name <> ''::text)),
    CONSTRAINT plan_result CHECK ((jsonb_typeof(result) = 'object'::text)),
    CONSTRAINT plan_saved_at CHECK (((saved_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (saved_at <= '9999-12-30 00:00:00+00'::timestamp with time zone)))
);


--
-- Name: plan_estimate; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.plan_estimate (
    plan_id bigint NOT NULL,
    "position" integer NOT NULL,
    variance_estimate_id bigint,
    published_variance_id bigint,
    CONSTRAINT plan_estimate_one_origin CHECK ((num_nonnulls(variance_estimate_id, published_variance_id) = 1))
);


--
-- Name: plan_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.plan ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.plan_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: published_variance; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.published_variance (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    measure_id bigint NOT NULL,
    assessments text NOT NULL,
    scale text NOT NULL,
    revision integer NOT NULL,
    reason text,
    topics integer NOT NULL,
    runs integer NOT NULL,
    variance double precision NOT NULL,
    source text NOT NULL,
    software text NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    recorded_by text NOT NULL,
    CONSTRAINT published_variance_recorded_at CHECK (((recorded_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (recorded_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT published_variance_revised_for_a_reason CHECK (((revision = 1) OR (COALESCE(reason, ''::text) <> ''::text))),
    CONSTRAINT published_variance_scale CHECK ((scale = ANY (ARRAY['raw'::text, 'std'::text, 'std-cdf'::text, 'std-ab'::text]))),
    CONSTRAINT published_variance_size CHECK (((topics >= 2) AND (runs >= 1))),
    CONSTRAINT published_variance_source CHECK ((source <> ''::text)),
    CONSTRAINT published_variance_variance CHECK (((variance > (0)::double precision) AND (variance < 'Infinity'::double precision)))
);


--
-- Name: published_variance_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.published_variance ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.published_variance_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: round; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.round (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    label text NOT NULL,
    held date,
    status text DEFAULT 'draft'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    collection text,
    pseudonym_key uuid DEFAULT gen_random_uuid() NOT NULL,
    CONSTRAINT round_created_at CHECK (((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT round_held CHECK (((held >= '0001-01-01'::date) AND (held <= '9999-12-31'::date))),
    CONSTRAINT round_labelled CHECK ((label <> ''::text)),
    CONSTRAINT round_status CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text])))
);


--
-- Name: round_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.round ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.round_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: run; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.run (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    tag text NOT NULL,
    team_id bigint,
    type text,
    contributed_to_pool boolean,
    system text
);


--
-- Name: run_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: score_vector; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.score_vector (
    matrix_id bigint NOT NULL,
    run_id bigint NOT NULL,
    "position" integer NOT NULL,
    topics integer NOT NULL,
    runs integer NOT NULL,
    scores double precision[] NOT NULL,
    CONSTRAINT score_vector_finite CHECK (((array_position(scores, NULL::double precision) IS NULL) AND ('NaN'::double precision <> ALL (scores)) AND ('Infinity'::double precision <> ALL (scores)) AND ('-Infinity'::double precision <> ALL (scores)))),
    CONSTRAINT score_vector_length CHECK (((array_ndims(scores) = 1) AND (cardinality(scores) = topics))),
    CONSTRAINT score_vector_position CHECK ((("position" >= 0) AND ("position" < runs)))
);
ALTER TABLE ONLY roundbook.score_vector ALTER COLUMN scores SET STORAGE EXTERNAL;


--
-- Name: topic; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.topic (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    name text NOT NULL
);


--
-- Name: score; Type: VIEW; Schema: roundbook; Owner: -
--

CREATE VIEW roundbook.score AS
 SELECT vector.matrix_id AS matrix,
    run.tag AS run,
    topic.name AS topic,
    score.value
   FROM ((((roundbook.score_vector vector
     JOIN roundbook.run ON ((run.id = vector.run_id)))
     CROSS JOIN LATERAL unnest(vector.scores) WITH ORDINALITY score(value, place))
     JOIN roundbook.matrix_topic ON (((matrix_topic.matrix_id = vector.matrix_id) AND (matrix_topic."position" = (score.place - 1)))))
     JOIN roundbook.topic ON ((topic.id = matrix_topic.topic_id)));


--
-- Name: task; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.task (
    id bigint NOT NULL,
    name text NOT NULL,
    title text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT task_created_at CHECK (((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT task_named CHECK ((name <> ''::text))
);


--
-- Name: task_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.task ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: team; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.team (
    id bigint NOT NULL,
    name text NOT NULL
);


--
-- Name: team_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.team ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.team_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: topic_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.topic ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.topic_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: variance_estimate; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.variance_estimate (
    id bigint NOT NULL,
    matrix_id bigint NOT NULL,
    factor_set_id bigint,
    scale text NOT NULL,
    topics integer NOT NULL,
    runs integer NOT NULL,
    sum_of_squares double precision NOT NULL,
    dof bigint NOT NULL,
    variance double precision NOT NULL,
    software text NOT NULL,
    estimated_at timestamp with time zone DEFAULT now() NOT NULL,
    two_way_sum_of_squares double precision,
    two_way_dof bigint,
    chi_square_low double precision,
    chi_square_high double precision,
    bootstrap_low double precision,
    bootstrap_high double precision,
    level double precision,
    bootstrap_resamples integer,
    bootstrap_seed bigint,
    CONSTRAINT variance_estimate_estimate CHECK (((dof > 0) AND (variance >= (0)::double precision) AND (variance < 'Infinity'::double precision))),
    CONSTRAINT variance_estimate_estimated_at CHECK (((estimated_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (estimated_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT variance_estimate_level CHECK (((level > (0)::double precision) AND (level < (1)::double precision))),
    CONSTRAINT variance_estimate_limits CHECK ((((0)::double precision <= ALL (ARRAY[chi_square_low, chi_square_high, bootstrap_low, bootstrap_high])) AND ('Infinity'::double precision > ALL (ARRAY[chi_square_low, chi_square_high, bootstrap_low, bootstrap_high])))),
    CONSTRAINT variance_estimate_scale CHECK ((scale = ANY (ARRAY['raw'::text, 'std'::text, 'std-cdf'::text, 'std-ab'::text]))),
    CONSTRAINT variance_estimate_squares CHECK ((((0)::double precision <= ALL (ARRAY[sum_of_squares, two_way_sum_of_squares])) AND ('Infinity'::double precision > ALL (ARRAY[sum_of_squares, two_way_sum_of_squares])))),
    CONSTRAINT variance_estimate_standardised_by_factors CHECK (((scale = 'raw'::text) = (factor_set_id IS NULL)))
);


--
-- Name: variance_estimate_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.variance_estimate ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.variance_estimate_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.alembic_version VALUES
	('0004');


--
-- Data for Name: drift_report; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.drift_report OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 1, 1, 'official', 10, 8, 'For the overview paper', '{"m": 10, "to": "2025", "from": "2023", "task": "web", "min_d": 0.1, "tests": {"alpha": 0.05, "kendall": {"dof": null, "reason": null, "p_value": 0.002777777777777778, "statistic": 0.9047619047619049}, "pearson": {"dof": 5.0, "reason": null, "p_value": 0.00253333855468891, "statistic": 0.9284119341456695}, "runs_to": 8, "paired_t": {"dof": 6.0, "reason": null, "p_value": 0.0021806608920975842, "statistic": 5.118863669005589}, "wilcoxon": {"dof": null, "reason": null, "p_value": 0.015625, "statistic": 0.0}, "runs_from": 4, "standardising_to": "all", "welch_significant": 0, "standardising_from": "chosen", "brown_forsythe_significant": 0}, "advice": "Refit and restate: standardise ''2025'' by its own factors, and before comparing it with ''2023'', restate ''2023'' by the factors of ''2025'' on the topics they share.", "margin": 0.2, "reason": "On the 7 topics that both rounds share, the mean score moved by +1.574 standard deviations of round ''2023'' (95% interval +0.688 to +2.461), where -0.2 to +0.2 does not matter. The spread of the runs is 1.528 times what it was (95% interval 0.985 to 2.371), where 0.8 to 1.25 does not matter. The interval of the mean lies wholly outside.", "topics": [{"sd_to": 0.1159015099125115, "shift": 0.8712578036639044, "topic": "1", "mean_to": 0.8022, "sd_from": 0.13466163460070332, "welch_p": 0.19332918295827367, "welch_t": 1.4885191539031906, "sd_ratio": 0.8606869377174942, "untested": null, "mean_from": 0.684875, "welch_dof": 5.3210601201252254, "welch_p_holm": 0.579987548874821, "brown_forsythe_f": 0.3377783853908085, "brown_forsythe_p": 0.5739795347919622, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.1477778490795269, "shift": 0.7732818917896325, "topic": "2", "mean_to": 0.7087875, "sd_from": 0.18920978436645397, "welch_p": 0.23473342567119443, "welch_t": 1.3538245506647746, "sd_ratio": 0.7810264652768519, "untested": null, "mean_from": 0.5624750000000001, "welch_dof": 4.913203751265415, "welch_p_holm": 0.579987548874821, "brown_forsythe_f": 0.0365053238023257, "brown_forsythe_p": 0.8522991368107171, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.22772594274697822, "shift": 1.8892659176347162, "topic": "3", "mean_to": 0.541125, "sd_from": 0.13346453648816228, "welch_p": 0.037864744456516684, "welch_t": 2.411226383432925, "sd_ratio": 1.7062655649141412, "untested": null, "mean_from": 0.288975, "welch_dof": 9.480972307059455, "welch_p_holm": 0.2271884667391001, "brown_forsythe_f": 5.106363973329586, "brown_forsythe_p": 0.04739050485623356, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 0.3317335339936349}, {"sd_to": 0.176566138458086, "shift": 2.7970664675608874, "topic": "5", "mean_to": 0.5165125, "sd_from": 0.08979497016351566, "welch_p": 0.008570309601098114, "welch_t": 3.2663341731932922, "sd_ratio": 1.9663254872356546, "untested": null, "mean_from": 0.26535000000000003, "welch_dof": 9.9208856142716, "welch_p_holm": 0.0599921672076868, "brown_forsythe_f": 1.3200873736453418, "brown_forsythe_p": 0.2773155454421701, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.040467129518024524, "shift": 0.29231538129485585, "topic": "6", "mean_to": 0.07115000000000002, "sd_from": 0.023433594118985105, "welch_p": 0.7191701664544303, "welch_t": 0.37041537772681604, "sd_ratio": 1.7268853131342505, "untested": null, "mean_from": 0.0643, "welch_dof": 9.532933607710664, "welch_p_holm": 0.7191701664544303, "brown_forsythe_f": 1.245346550075645, "brown_forsythe_p": 0.29054069641239594, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.18606421126666384, "shift": 1.7722733513589686, "topic": "7", "mean_to": 0.577375, "sd_from": 0.11349829293870459, "welch_p": 0.044984636000789176, "welch_t": 2.3152904109797117, "sd_ratio": 1.639356914091641, "untested": null, "mean_from": 0.37622500000000003, "welch_dof": 9.290199972892227, "welch_p_holm": 0.2271884667391001, "brown_forsythe_f": 0.7995755818573566, "brown_forsythe_p": 0.3922331669541601, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.22978940941342668, "shift": 2.6240751677841714, "topic": "8", "mean_to": 0.47128749999999997, "sd_from": 0.07538370181942514, "welch_p": 0.05353935758228214, "welch_t": 2.2087040048628137, "sd_ratio": 3.0482638006271765, "untested": null, "mean_from": 0.273475, "welch_dof": 9.329186795278003, "welch_p_holm": 0.2271884667391001, "brown_forsythe_f": 2.5066132421705127, "brown_forsythe_p": 0.14445162227811, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 0.86670973366866}], "assumed": "Assumed: round ''2023'' was held on the document collection ''crawl 2'' too, since none is declared. Declare it with: roundbook round set web 2023 --collection NAME", "measure": "nDCG@10", "revived": null, "verdict": "aged", "commands": [{"command": "roundbook standardise web 2025 --measure nDCG@10 --assessments official", "purpose": "Standardise ''2025'' by its own factors"}, {"command": "roundbook standardise web 2023 --measure nDCG@10 --assessments official --factors-from 2025", "purpose": "Restate ''2023'' by the factors of ''2025''"}, {"command": "roundbook factors show web 2025 --measure nDCG@10 --assessments official", "purpose": "See the new factors"}], "sd_ratio": 1.5281704376151029, "software": "roundbook 0.1.0", "to_matrix": 8, "unbridged": null, "withdrawn": [], "mean_shift": 1.574219425869591, "to_version": 1, "assessments": "official", "consequence": {"a": 0.15, "b": 0.5, "m": 10, "beta": 0.2, "bias": 0.2035747563203435, "runs": 8, "alpha": 0.05, "later": {"mean": 0.5, "reason": null, "variance": 0.01347856412213213, "clipped_at_0": 0.0, "clipped_at_1": 0.0, "topics_needed": 44}, "min_d": 0.1, "engine": "exact", "topics": 7, "earlier": {"mean": 0.7035747563203435, "reason": null, "variance": 0.041853711709853435, "clipped_at_0": 0.0, "clipped_at_1": 0.19642857142857142, "topics_needed": 132}, "zero_sd": "average", "kendall_tau": 0.7857142857142857, "kendall_tau_reason": null}, "from_matrix": 2, "sd_ratio_90": [1.0782810879328206, 2.1657663410175934], "sd_ratio_95": [0.9850860602565032, 2.3706607784020948], "to_revision": 1, "from_version": 3, "from_revision": 2, "mean_shift_90": [0.8700780700734272, 2.2783607816657545], "mean_shift_95": [0.6875431634272725, 2.4608956883119095], "shared_topics": 7, "to_collection": "crawl 2", "from_collection": null, "sd_ratio_margin": 1.25, "undefined_shifts": 0, "consequence_reason": null, "undefined_sd_ratios": 0}', 'roundbook 0.1.0', '2026-11-21 12:14:17.322309+00', 'simulated');


--
-- Data for Name: event; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.event OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-21 12:14:15.76416+00', 'simulated', 'task created', 1, NULL, NULL, NULL, '{"task": "web"}', 'roundbook 0.1.0'),
	(2, '2026-11-21 12:14:15.78085+00', 'simulated', 'round created', 1, 1, NULL, NULL, '{"held": "2023-11-14", "round": "2023"}', 'roundbook 0.1.0'),
	(3, '2026-11-21 12:14:15.842207+00', 'simulated', 'matrix logged', 1, 1, 1, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0'),
	(4, '2026-11-21 12:14:15.883749+00', 'simulated', 'matrix revised', 1, 1, 2, 'A topic was judged twice', '{"runs": 8, "topics": 11, "measure": "nDCG@10", "revision": 2, "assessments": "official"}', 'roundbook 0.1.0'),
	(5, '2026-11-21 12:14:15.930175+00', 'simulated', 'matrix logged', 1, 1, 3, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0'),
	(6, '2026-11-21 12:14:15.943244+00', 'simulated', 'round created', 1, 5, NULL, NULL, '{"round": "2024"}', 'roundbook 0.1.0'),
	(7, '2026-11-21 12:14:15.97955+00', 'simulated', 'matrix logged', 1, 5, 4, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0'),
	(8, '2026-11-21 12:14:16.021624+00', 'simulated', 'matrix logged', 1, 5, 5, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "bronze"}', 'roundbook 0.1.0'),
	(9, '2026-11-21 12:14:16.060125+00', 'simulated', 'matrix logged', 1, 5, 6, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0'),
	(10, '2026-11-21 12:14:16.092261+00', 'simulated', 'matrix logged', 1, 5, 7, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "bronze"}', 'roundbook 0.1.0'),
	(11, '2026-11-21 12:14:16.124367+00', 'simulated', 'plan saved', 1, NULL, NULL, 'Before the third round', '{"plan": "next web", "version": 1}', 'roundbook 0.1.0'),
	(12, '2026-11-21 12:14:16.131177+00', 'simulated', 'round created', 1, 9, NULL, NULL, '{"round": "2025"}', 'roundbook 0.1.0'),
	(13, '2026-11-21 12:14:16.152287+00', 'simulated', 'matrix logged', 1, 9, 8, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0'),
	(14, '2026-11-21 12:14:16.177274+00', 'simulated', 'matrix logged', 1, 9, 9, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0'),
	(15, '2026-11-21 12:14:16.200628+00', 'simulated', 'factors fitted', 1, 1, 2, 'Baselines only', '{"runs": 4, "measure": "nDCG@10", "version": 3, "assessments": "official", "standardising": "chosen"}', 'roundbook 0.1.0'),
	(16, '2026-11-21 12:14:16.210926+00', 'simulated', 'round changed', 1, 5, NULL, NULL, '{"held": {"is": "2024-11-12", "was": null}, "collection": {"is": "crawl 2", "was": null}}', 'roundbook 0.1.0'),
	(17, '2026-11-21 12:14:16.217581+00', 'simulated', 'round changed', 1, 9, NULL, NULL, '{"collection": {"is": "crawl 2", "was": null}}', 'roundbook 0.1.0'),
	(18, '2026-11-21 12:14:16.238451+00', 'simulated', 'plan saved', 1, NULL, NULL, NULL, '{"plan": "next web", "version": 2}', 'roundbook 0.1.0'),
	(19, '2026-11-21 12:14:16.245235+00', 'simulated', 'plan saved', NULL, NULL, NULL, NULL, '{"plan": "a guess", "version": 1}', 'roundbook 0.1.0'),
	(20, '2026-11-21 12:14:16.248491+00', 'simulated', 'task created', 11, NULL, NULL, NULL, '{"task": "speech"}', 'roundbook 0.1.0'),
	(21, '2026-11-21 12:14:16.254611+00', 'simulated', 'round created', 11, 11, NULL, NULL, '{"round": "I"}', 'roundbook 0.1.0'),
	(22, '2026-11-21 12:14:16.2658+00', 'simulated', 'variance recorded', 11, 11, NULL, NULL, '{"scale": "raw", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 1, "variance": 0.061, "assessments": "official"}', 'roundbook 0.1.0'),
	(23, '2026-11-21 12:14:16.27118+00', 'simulated', 'round created', 11, 12, NULL, NULL, '{"round": "II"}', 'roundbook 0.1.0'),
	(24, '2026-11-21 12:14:16.277572+00', 'simulated', 'variance recorded', 11, 12, NULL, NULL, '{"scale": "raw", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 1, "variance": 0.052, "assessments": "official"}', 'roundbook 0.1.0'),
	(25, '2026-11-21 12:14:16.28731+00', 'simulated', 'variance recorded', 11, 12, NULL, 'A misprint', '{"scale": "raw", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 2, "variance": 0.0525, "assessments": "official"}', 'roundbook 0.1.0'),
	(26, '2026-11-21 12:14:16.297162+00', 'simulated', 'variance recorded', 11, 12, NULL, NULL, '{"scale": "std-ab", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 1, "variance": 0.0161, "assessments": "official"}', 'roundbook 0.1.0'),
	(27, '2026-11-21 12:14:17.335232+00', 'simulated', 'drift report saved', 1, NULL, NULL, 'For the overview paper', '{"to": "2025", "from": "2023", "report": 1, "measure": "nDCG@10", "verdict": "aged"}', 'roundbook 0.1.0'),
	(28, '2026-11-21 12:14:17.363326+00', 'simulated', 'matrix logged', 1, 9, 10, NULL, '{"runs": 8, "topics": 8, "measure": "nDCG@10", "revision": 1, "assessments": "crowd"}', 'roundbook 0.1.0'),
	(29, '2026-11-21 12:14:17.377326+00', 'simulated', 'matrix withdrawn', 1, 9, 10, 'The assessors guessed', '{"measure": "nDCG@10", "revision": 1, "assessments": "crowd"}', 'roundbook 0.1.0'),
	(30, '2026-11-21 12:14:17.422511+00', 'simulated', 'matrix logged', 1, 9, 11, NULL, '{"runs": 8, "topics": 8, "measure": "nDCG@10", "revision": 1, "assessments": "second crowd"}', 'roundbook 0.1.0'),
	(31, '2026-11-21 12:14:17.435185+00', 'simulated', 'matrix withdrawn', 1, 9, 11, 'The assessors guessed', '{"measure": "nDCG@10", "revision": 1, "assessments": "second crowd"}', 'roundbook 0.1.0'),
	(32, '2026-11-21 12:14:17.457942+00', 'simulated', 'matrix restored', 1, 9, 11, 'These did not', '{"measure": "nDCG@10", "revision": 1, "assessments": "second crowd"}', 'roundbook 0.1.0'),
	(33, '2026-11-21 12:14:17.480487+00', 'simulated', 'round published', 1, 1, NULL, 'The proceedings are out', '{"matrices": 2}', 'roundbook 0.1.0');


--
-- Data for Name: factor; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.factor VALUES
	(1, 1, 1, 0.7079125, 0.12279055847254704),
	(1, 2, 1, 0.6592875, 0.175997665873321),
	(1, 3, 1, 0.4407375, 0.19494539116304926),
	(1, 4, 1, 0.32705, 0.12385105109421905),
	(1, 5, 1, 0.380675, 0.2215798195426908),
	(1, 6, 1, 0.0835, 0.031988524728185176),
	(1, 7, 1, 0.4544125, 0.16030357305972406),
	(1, 8, 1, 0.3691875, 0.12006623692778917),
	(1, 9, 1, 0.5442, 0.22595705028042073),
	(1, 10, 1, 0.5113624999999999, 0.20590856457244736),
	(1, 11, 1, 0.693225, 0.15213522884967456),
	(1, 12, 1, 0.2904375, 0.17388179020324615),
	(2, 1, 2, 0.7079125, 0.12279055847254704),
	(2, 2, 2, 0.6592875, 0.175997665873321),
	(2, 3, 2, 0.4407375, 0.19494539116304926),
	(2, 5, 2, 0.380675, 0.2215798195426908),
	(2, 6, 2, 0.0835, 0.031988524728185176),
	(2, 7, 2, 0.4544125, 0.16030357305972406),
	(2, 8, 2, 0.3691875, 0.12006623692778917),
	(2, 9, 2, 0.5442, 0.22595705028042073),
	(2, 10, 2, 0.5113624999999999, 0.20590856457244736),
	(2, 11, 2, 0.693225, 0.15213522884967456),
	(2, 12, 2, 0.2904375, 0.17388179020324615),
	(3, 1, 3, 0, 0),
	(3, 2, 3, 0.55, 0.17728105208558367),
	(3, 3, 3, 0.475, 0.21213203435596428),
	(3, 4, 3, 0.375, 0.166904592079256),
	(3, 5, 3, 0.375, 0.2251983252919207),
	(3, 6, 3, 0.025, 0.07071067811865477),
	(3, 7, 3, 0.5, 0.18516401995451032),
	(3, 8, 3, 0.30000000000000004, 0.15118578920369088),
	(3, 9, 3, 0.45, 0.29760952365713805),
	(3, 10, 3, 0.4, 0.18516401995451026),
	(3, 11, 3, 0.675, 0.23754698783308414),
	(3, 12, 3, 0.375, 0.22519832529192063),
	(4, 1, 4, 0.6335500000000001, 0.21721725683441145),
	(4, 2, 4, 0.5589, 0.18907374222773504),
	(4, 3, 4, 0.47209999999999996, 0.1865458835425394),
	(4, 4, 4, 0.2785, 0.11638989074084857),
	(4, 5, 4, 0.41152500000000003, 0.2720494241248576),
	(4, 6, 4, 0.08735, 0.05765706085699016),
	(4, 7, 4, 0.5140750000000001, 0.14289645143716248),
	(4, 8, 4, 0.29279999999999995, 0.1615566154634344),
	(4, 44, 4, 0.27285, 0.2908563161883659),
	(4, 45, 4, 0.349875, 0.31728275901263003),
	(4, 46, 4, 0.120075, 0.11950736030331632),
	(4, 47, 4, 0.3708, 0.32156228012626104),
	(5, 1, 5, 0.6288, 0.19875955322952404),
	(5, 2, 5, 0.56245, 0.17894789744503847),
	(5, 3, 5, 0.46315, 0.17682702470682093);
INSERT INTO roundbook.factor VALUES
	(5, 4, 5, 0.2806, 0.10621610047445727),
	(5, 5, 5, 0.391675, 0.26804335936560714),
	(5, 6, 5, 0.0826, 0.03819197123305717),
	(5, 7, 5, 0.50715, 0.1348721493365723),
	(5, 8, 5, 0.28554999999999997, 0.17924159673468656),
	(5, 44, 5, 0.2698, 0.29105950136240755),
	(5, 45, 5, 0.3526, 0.30597791859326495),
	(5, 46, 5, 0.129525, 0.11855078728826166),
	(5, 47, 5, 0.36842500000000006, 0.32312276691684855),
	(6, 1, 6, 0, 0),
	(6, 2, 6, 0.6, 0.16329931618554522),
	(6, 3, 6, 0.6000000000000001, 0.28284271247461906),
	(6, 4, 6, 0.35, 0.1914854215512676),
	(6, 5, 6, 0.3, 0.2),
	(6, 6, 6, 0.05, 0.1),
	(6, 7, 6, 0.45, 0.2516611478423584),
	(6, 8, 6, 0.2, 0.16329931618554522),
	(6, 44, 6, 0.35000000000000003, 0.1),
	(6, 45, 6, 0.4, 0.1632993161855452),
	(6, 46, 6, 0.15000000000000002, 0.19148542155126763),
	(6, 47, 6, 0.25, 0.19148542155126763),
	(7, 1, 7, 0.010499999999999999, 0.013076696830622021),
	(7, 2, 7, 0.5998249999999999, 0.16781426985410586),
	(7, 3, 7, 0.6122, 0.2722667931765948),
	(7, 4, 7, 0.35002500000000003, 0.19765170334032878),
	(7, 5, 7, 0.287875, 0.17795378379418253),
	(7, 6, 7, 0.06715, 0.10059305807725172),
	(7, 7, 7, 0.46797500000000003, 0.24083179987977785),
	(7, 8, 7, 0.20615, 0.1564729689115663),
	(7, 44, 7, 0.359125, 0.1160531595146523),
	(7, 45, 7, 0.38365, 0.17161457785786538),
	(7, 46, 7, 0.1535, 0.19817065036646236),
	(7, 47, 7, 0.268725, 0.20363818199607525),
	(8, 1, 8, 0.8022, 0.1159015099125115),
	(8, 2, 8, 0.7087875, 0.1477778490795269),
	(8, 3, 8, 0.541125, 0.22772594274697822),
	(8, 4, 8, 0.3994875, 0.2064237212109389),
	(8, 5, 8, 0.5165125, 0.176566138458086),
	(8, 6, 8, 0.07115000000000002, 0.040467129518024524),
	(8, 7, 8, 0.577375, 0.18606421126666384),
	(8, 8, 8, 0.47128749999999997, 0.22978940941342668),
	(8, 92, 8, 0.3355375, 0.14114777400704148),
	(8, 93, 8, 0.5739125, 0.2430262033932026),
	(8, 94, 8, 0.526025, 0.2074909550524346),
	(8, 95, 8, 0.651525, 0.13955795263207735),
	(9, 1, 9, 0, 0),
	(9, 2, 9, 0.7, 0.1069044967649698),
	(9, 3, 9, 0.675, 0.1832250762625809),
	(9, 4, 9, 0.45, 0.14142135623730948),
	(9, 5, 9, 0.47500000000000003, 0.1832250762625809);
INSERT INTO roundbook.factor VALUES
	(9, 6, 9, 0.07500000000000001, 0.10350983390135314),
	(9, 7, 9, 0.7, 0.1069044967649698),
	(9, 8, 9, 0.35, 0.1414213562373095),
	(9, 92, 9, 0.44999999999999996, 0.17728105208558365),
	(9, 93, 9, 0.575, 0.19820624179302299),
	(9, 94, 9, 0.55, 0.1414213562373095),
	(9, 95, 9, 0.675, 0.21213203435596428),
	(10, 1, 2, 0.684875, 0.13466163460070332),
	(10, 2, 2, 0.5624750000000001, 0.18920978436645397),
	(10, 3, 2, 0.288975, 0.13346453648816228),
	(10, 5, 2, 0.26535000000000003, 0.08979497016351566),
	(10, 6, 2, 0.0643, 0.023433594118985105),
	(10, 7, 2, 0.37622500000000003, 0.11349829293870459),
	(10, 8, 2, 0.273475, 0.07538370181942514),
	(10, 9, 2, 0.37277499999999997, 0.16773756039321266),
	(10, 10, 2, 0.42485, 0.20427188581234898),
	(10, 11, 2, 0.5669, 0.05681942156223228),
	(10, 12, 2, 0.179525, 0.08733351304052757),
	(11, 1, 10, 0.437325, 0.12625541855415837),
	(11, 2, 10, 0.5940625, 0.2722289526824277),
	(11, 3, 10, 0.37745, 0.10476590230468252),
	(11, 4, 10, 0.5143625000000001, 0.16907204666734746),
	(11, 5, 10, 0.5475125, 0.1454746363509068),
	(11, 6, 10, 0.5176624999999999, 0.21298463350003177),
	(11, 7, 10, 0.5343375, 0.21109179409847817),
	(11, 8, 10, 0.445125, 0.13382324963494624),
	(12, 1, 11, 0.437325, 0.12625541855415837),
	(12, 2, 11, 0.5940625, 0.2722289526824277),
	(12, 3, 11, 0.37745, 0.10476590230468252),
	(12, 4, 11, 0.5143625000000001, 0.16907204666734746),
	(12, 5, 11, 0.5475125, 0.1454746363509068),
	(12, 6, 11, 0.5176624999999999, 0.21298463350003177),
	(12, 7, 11, 0.5343375, 0.21109179409847817),
	(12, 8, 11, 0.445125, 0.13382324963494624);


--
-- Data for Name: factor_set; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.factor_set OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 1, 1, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:15.79039+00', 'simulated'),
	(2, 2, 1, 1, 'official', 2, 'all', 8, 'average', 'A topic was judged twice', 'roundbook 0.1.0', '2026-11-21 12:14:15.855085+00', 'simulated'),
	(3, 3, 1, 3, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:15.906963+00', 'simulated'),
	(4, 4, 5, 1, 'official', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:15.939281+00', 'simulated'),
	(5, 5, 5, 1, 'bronze', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:15.988161+00', 'simulated'),
	(6, 6, 5, 3, 'official', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:16.028849+00', 'simulated'),
	(7, 7, 5, 3, 'bronze', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:16.066902+00', 'simulated'),
	(8, 8, 9, 1, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:16.127828+00', 'simulated'),
	(9, 9, 9, 3, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:16.157543+00', 'simulated'),
	(10, 2, 1, 1, 'official', 3, 'chosen', 4, 'average', 'Baselines only', 'roundbook 0.1.0', '2026-11-21 12:14:16.182662+00', 'simulated'),
	(11, 10, 9, 1, 'crowd', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:17.337735+00', 'simulated'),
	(12, 11, 9, 1, 'second crowd', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-21 12:14:17.396294+00', 'simulated');


--
-- Data for Name: factor_set_run; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.factor_set_run VALUES
	(4, 4, 25),
	(4, 4, 27),
	(4, 4, 29),
	(4, 4, 31),
	(5, 5, 25),
	(5, 5, 27),
	(5, 5, 29),
	(5, 5, 31),
	(6, 6, 25),
	(6, 6, 27),
	(6, 6, 29),
	(6, 6, 31),
	(7, 7, 25),
	(7, 7, 27),
	(7, 7, 29),
	(7, 7, 31),
	(10, 2, 1),
	(10, 2, 2),
	(10, 2, 3),
	(10, 2, 4);


--
-- Data for Name: matrix; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.matrix OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 1, 'official', 1, NULL, 12, 8, 'db8ec829a06c4e2cb26083bce0abc5e16713d4d1b5500120da097689c3bfac9d', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:15.79039+00', 'simulated'),
	(2, 1, 1, 'official', 2, 'A topic was judged twice', 11, 8, '2a9ec3677fa0a7be77ee71ba4f5d1969dc58366cacd560671723757f3c97a442', 'drop-topic', 1, '{4}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:15.855085+00', 'simulated'),
	(3, 1, 3, 'official', 1, NULL, 12, 8, 'db9e4630979f383ceaa052b7e33dc2261f3cf8abed91f6a5b66ec988d8a165d6', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:15.906963+00', 'simulated'),
	(4, 5, 1, 'official', 1, NULL, 12, 8, '84c2e39418346c46cef14b3db1b12660ded6d264498dc8e1e4344b8abef07d22', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:15.939281+00', 'simulated'),
	(5, 5, 1, 'bronze', 1, NULL, 12, 8, 'f42798bdd4cd665d219ed3ae0a84fac3369a462ae26e906148ecdfbbeda3ab4b', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:15.988161+00', 'simulated'),
	(6, 5, 3, 'official', 1, NULL, 12, 8, '71161018a7bf9cdc291dee3a80a9b1b8f905af6bbdd82de18953b804379b72e8', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:16.028849+00', 'simulated'),
	(7, 5, 3, 'bronze', 1, NULL, 12, 8, 'ab5f525378062977fac95d4707db87a26f43782abab8153b8aa403fe7c72b3ec', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:16.066902+00', 'simulated'),
	(8, 9, 1, 'official', 1, NULL, 12, 8, '3c6e2c97f5509efa506f6dd31913c1270f9c39e2ef3a4260d5e1d8b20bac4dd9', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:16.127828+00', 'simulated'),
	(9, 9, 3, 'official', 1, NULL, 12, 8, 'fce6bf11ee22b2d09b9e5694686d1aff42443ccbba1a3616717acf6aaa689ea7', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:16.157543+00', 'simulated'),
	(10, 9, 1, 'crowd', 1, NULL, 8, 8, 'a7b3991267acbb85dd418818cd15a839fc3e0edc53e9c63efa26ba12ac4fc1c1', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:17.337735+00', 'simulated'),
	(11, 9, 1, 'second crowd', 1, NULL, 8, 8, 'a7b3991267acbb85dd418818cd15a839fc3e0edc53e9c63efa26ba12ac4fc1c1', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-21 12:14:17.396294+00', 'simulated');


--
-- Data for Name: matrix_topic; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.matrix_topic VALUES
	(1, 0, 1, 12),
	(1, 1, 2, 12),
	(1, 2, 3, 12),
	(1, 3, 4, 12),
	(1, 4, 5, 12),
	(1, 5, 6, 12),
	(1, 6, 7, 12),
	(1, 7, 8, 12),
	(1, 8, 9, 12),
	(1, 9, 10, 12),
	(1, 10, 11, 12),
	(1, 11, 12, 12),
	(2, 0, 1, 11),
	(2, 1, 2, 11),
	(2, 2, 3, 11),
	(2, 3, 5, 11),
	(2, 4, 6, 11),
	(2, 5, 7, 11),
	(2, 6, 8, 11),
	(2, 7, 9, 11),
	(2, 8, 10, 11),
	(2, 9, 11, 11),
	(2, 10, 12, 11),
	(3, 0, 1, 12),
	(3, 1, 2, 12),
	(3, 2, 3, 12),
	(3, 3, 4, 12),
	(3, 4, 5, 12),
	(3, 5, 6, 12),
	(3, 6, 7, 12),
	(3, 7, 8, 12),
	(3, 8, 9, 12),
	(3, 9, 10, 12),
	(3, 10, 11, 12),
	(3, 11, 12, 12),
	(4, 0, 1, 12),
	(4, 1, 2, 12),
	(4, 2, 3, 12),
	(4, 3, 4, 12),
	(4, 4, 5, 12),
	(4, 5, 6, 12),
	(4, 6, 7, 12),
	(4, 7, 8, 12),
	(4, 8, 44, 12),
	(4, 9, 45, 12),
	(4, 10, 46, 12),
	(4, 11, 47, 12),
	(5, 0, 1, 12),
	(5, 1, 2, 12),
	(5, 2, 3, 12);
INSERT INTO roundbook.matrix_topic VALUES
	(5, 3, 4, 12),
	(5, 4, 5, 12),
	(5, 5, 6, 12),
	(5, 6, 7, 12),
	(5, 7, 8, 12),
	(5, 8, 44, 12),
	(5, 9, 45, 12),
	(5, 10, 46, 12),
	(5, 11, 47, 12),
	(6, 0, 1, 12),
	(6, 1, 2, 12),
	(6, 2, 3, 12),
	(6, 3, 4, 12),
	(6, 4, 5, 12),
	(6, 5, 6, 12),
	(6, 6, 7, 12),
	(6, 7, 8, 12),
	(6, 8, 44, 12),
	(6, 9, 45, 12),
	(6, 10, 46, 12),
	(6, 11, 47, 12),
	(7, 0, 1, 12),
	(7, 1, 2, 12),
	(7, 2, 3, 12),
	(7, 3, 4, 12),
	(7, 4, 5, 12),
	(7, 5, 6, 12),
	(7, 6, 7, 12),
	(7, 7, 8, 12),
	(7, 8, 44, 12),
	(7, 9, 45, 12),
	(7, 10, 46, 12),
	(7, 11, 47, 12),
	(8, 0, 1, 12),
	(8, 1, 2, 12),
	(8, 2, 3, 12),
	(8, 3, 4, 12),
	(8, 4, 5, 12),
	(8, 5, 6, 12),
	(8, 6, 7, 12),
	(8, 7, 8, 12),
	(8, 8, 92, 12),
	(8, 9, 93, 12),
	(8, 10, 94, 12),
	(8, 11, 95, 12),
	(9, 0, 1, 12),
	(9, 1, 2, 12),
	(9, 2, 3, 12),
	(9, 3, 4, 12),
	(9, 4, 5, 12);
INSERT INTO roundbook.matrix_topic VALUES
	(9, 5, 6, 12),
	(9, 6, 7, 12),
	(9, 7, 8, 12),
	(9, 8, 92, 12),
	(9, 9, 93, 12),
	(9, 10, 94, 12),
	(9, 11, 95, 12),
	(10, 0, 1, 8),
	(10, 1, 2, 8),
	(10, 2, 3, 8),
	(10, 3, 4, 8),
	(10, 4, 5, 8),
	(10, 5, 6, 8),
	(10, 6, 7, 8),
	(10, 7, 8, 8),
	(11, 0, 1, 8),
	(11, 1, 2, 8),
	(11, 2, 3, 8),
	(11, 3, 4, 8),
	(11, 4, 5, 8),
	(11, 5, 6, 8),
	(11, 6, 7, 8),
	(11, 7, 8, 8);


--
-- Data for Name: measure; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.measure OVERRIDING SYSTEM VALUE VALUES
	(1, 'nDCG@10', 'nDCG', 10, '{}', NULL, NULL),
	(3, 'P@5', 'P', 5, '{}', NULL, NULL);


--
-- Data for Name: plan; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.plan OVERRIDING SYSTEM VALUE VALUES
	(1, 'next web', 1, 1, 'Before the third round', '{"m": [2, 10], "beta": 0.2, "alpha": 0.05, "cells": [{"m": 2, "min_d": 0.1, "width": null, "topics": 76, "variance": 0.047746280782828276, "solved_exact": 76.0, "solved_sakai": 74.0, "solved_upper": 97.0, "topics_exact": 76, "topics_sakai": 74, "topics_upper": 97, "achieved_power": 0.8004016290403234}, {"m": 2, "min_d": 0.2, "width": null, "topics": 20, "variance": 0.047746280782828276, "solved_exact": 20.0, "solved_sakai": 19.0, "solved_upper": 25.0, "topics_exact": 20, "topics_sakai": 19, "topics_upper": 25, "achieved_power": 0.8052720515035476}, {"m": 10, "min_d": 0.1, "width": null, "topics": 151, "variance": 0.047746280782828276, "solved_exact": 151.0, "solved_sakai": 150.0, "solved_upper": 192.0, "topics_exact": 151, "topics_sakai": 150, "topics_upper": 192, "achieved_power": 0.8022886810850207}, {"m": 10, "min_d": 0.2, "width": null, "topics": 39, "variance": 0.047746280782828276, "solved_exact": 39.0, "solved_sakai": 38.0, "solved_upper": 49.0, "topics_exact": 39, "topics_sakai": 38, "topics_upper": 49, "achieved_power": 0.8099999776800317}], "min_d": [0.1, 0.2], "notes": [], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "rounds": [{"m": 2, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.16759956411470966, "power_sakai": 0.1294943227448142, "achieved_power": 0.16759956411470966}, {"m": 2, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.5073460788296815, "power_sakai": 0.5184170805475624, "achieved_power": 0.5073460788296815}, {"m": 10, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.0839252955948423, "power_sakai": 0.050375040170313024, "achieved_power": 0.0839252955948423}, {"m": 10, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.2243302682471281, "power_sakai": 0.19622435540050354, "achieved_power": 0.2243302682471281}, {"m": 2, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.197787778479111, "power_sakai": 0.16608502771953637, "achieved_power": 0.197787778479111}, {"m": 2, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.5992817372201578, "power_sakai": 0.621120080517695, "achieved_power": 0.5992817372201578}, {"m": 10, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.09347088757559308, "power_sakai": 0.061943366174344705, "achieved_power": 0.09347088757559308}, {"m": 10, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.27911707388124596, "power_sakai": 0.2601634936697168, "achieved_power": 0.27911707388124596}], "topics": [], "warning": null, "estimate": {"task": "web", "mixed": [], "scale": "raw", "pooled": {"dof": 168, "rounds": ["2023", "2024"], "warning": null, "weights": "dof", "interval": {"low": 0.03145709579960388, "high": 0.06090812147297721, "level": 0.95, "method": "combined"}, "variance": 0.047746280782828276, "homogeneity": {"dof": 1, "reason": null, "p_value": 0.5622226312895908, "statistic": 0.33587044937813176}, "max_min_ratio": 1.1353062169454162}, "rounds": [{"dof": 80, "runs": 8, "round": "2023", "matrix": 2, "origin": "matrix", "source": null, "topics": 11, "ordinal": 1, "estimate": 4, "interval": {"low": 0.025769415590909093, "high": 0.07162104078465908, "level": 0.95, "method": "bootstrap"}, "revision": 2, "software": "roundbook 0.1.0", "variance": 0.05092544497727273, "chi_square": {"low": 0.038207730675275164, "high": 0.0712827546159284, "level": 0.95, "method": "chi-square"}, "assessments": "official", "two_way_dof": 70, "factor_version": null, "sum_of_squares": 4.074035598181818, "two_way_variance": 0.0181739289025974}, {"dof": 88, "runs": 8, "round": "2024", "matrix": 4, "origin": "matrix", "source": null, "topics": 12, "ordinal": 2, "estimate": 10, "interval": {"low": 0.02378339699431818, "high": 0.061511472808001885, "level": 0.95, "method": "bootstrap"}, "revision": 1, "software": "roundbook 0.1.0", "variance": 0.04485613151515151, "chi_square": {"low": 0.034075368215012704, "high": 0.06173415497987341, "level": 0.95, "method": "chi-square"}, "assessments": "official", "two_way_dof": 77, "factor_version": null, "sum_of_squares": 3.947339573333333, "two_way_variance": 0.01899255470779221}], "measure": "nDCG@10", "software": "roundbook 0.1.0", "withdrawn": [], "assessments": "official"}, "interval": {"low": 0.03145709579960388, "high": 0.06090812147297721, "level": 0.95, "method": "combined"}, "protocol": "The topic set was designed for a one-way ANOVA with alpha = 0.05, beta = 0.2 (power 0.8), computed by roundbook 0.1.0 with the noncentral F distribution (engine exact); minD is the smallest difference between the best and the worst of m runs that is worth detecting. The residual variance of nDCG@10 (raw scale) was taken as 0.047746: pooled by their degrees of freedom over 2 rounds of web (2023, 2024), 168 degrees of freedom, with a 95% interval from 0.031457 to 0.060908 (combined). The design needs n = 76 topics for m = 2 and minD = 0.1 (97 at the upper end of the interval); n = 20 topics for m = 2 and minD = 0.2 (25 at the upper end of the interval); n = 151 topics for m = 10 and minD = 0.1 (192 at the upper end of the interval); n = 39 topics for m = 10 and minD = 0.2 (49 at the upper end of the interval). The method is that of T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016.", "software": "roundbook 0.1.0", "variance": 0.047746280782828276, "variance_upper": 0.06090812147297721}', 'roundbook 0.1.0', '2026-11-21 12:14:16.115556+00', 'simulated'),
	(2, 'next web', 1, 2, NULL, '{"m": [2, 10], "beta": 0.2, "alpha": 0.05, "cells": [{"m": 2, "min_d": 0.1, "width": null, "topics": 80, "variance": 0.05007139908794981, "solved_exact": 80.0, "solved_sakai": 78.0, "solved_upper": 100.0, "topics_exact": 80, "topics_sakai": 78, "topics_upper": 100, "achieved_power": 0.8021232837732686}, {"m": 2, "min_d": 0.2, "width": null, "topics": 21, "variance": 0.05007139908794981, "solved_exact": 21.0, "solved_sakai": 20.0, "solved_upper": 26.0, "topics_exact": 21, "topics_sakai": 20, "topics_upper": 26, "achieved_power": 0.8067766835575446}, {"m": 10, "min_d": 0.1, "width": null, "topics": 158, "variance": 0.05007139908794981, "solved_exact": 158.0, "solved_sakai": 157.0, "solved_upper": 198.0, "topics_exact": 158, "topics_sakai": 157, "topics_upper": 198, "achieved_power": 0.8013299064483608}, {"m": 10, "min_d": 0.2, "width": null, "topics": 41, "variance": 0.05007139908794981, "solved_exact": 41.0, "solved_sakai": 40.0, "solved_upper": 50.0, "topics_exact": 41, "topics_sakai": 40, "topics_upper": 50, "achieved_power": 0.8116924311008376}], "min_d": [0.1, 0.2], "notes": [], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "rounds": [{"m": 2, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.16759956411470966, "power_sakai": 0.1294943227448142, "achieved_power": 0.16759956411470966}, {"m": 2, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.5073460788296815, "power_sakai": 0.5184170805475624, "achieved_power": 0.5073460788296815}, {"m": 10, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.0839252955948423, "power_sakai": 0.050375040170313024, "achieved_power": 0.0839252955948423}, {"m": 10, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.2243302682471281, "power_sakai": 0.19622435540050354, "achieved_power": 0.2243302682471281}, {"m": 2, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.197787778479111, "power_sakai": 0.16608502771953637, "achieved_power": 0.197787778479111}, {"m": 2, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.5992817372201578, "power_sakai": 0.621120080517695, "achieved_power": 0.5992817372201578}, {"m": 10, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.09347088757559308, "power_sakai": 0.061943366174344705, "achieved_power": 0.09347088757559308}, {"m": 10, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.27911707388124596, "power_sakai": 0.2601634936697168, "achieved_power": 0.27911707388124596}, {"m": 2, "min_d": 0.1, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.17101901559505472, "power_sakai": 0.13656881411960398, "achieved_power": 0.17101901559505472}, {"m": 2, "min_d": 0.2, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.5185262136487232, "power_sakai": 0.5310302912323241, "achieved_power": 0.5185262136487232}, {"m": 10, "min_d": 0.1, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.08492557138090229, "power_sakai": 0.05390542728260306, "achieved_power": 0.08492557138090229}, {"m": 10, "min_d": 0.2, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.23007295850712994, "power_sakai": 0.20564322318064954, "achieved_power": 0.23007295850712994}], "topics": [], "warning": null, "estimate": {"task": "web", "mixed": [], "scale": "raw", "pooled": {"dof": 256, "rounds": ["2023", "2024", "2025"], "warning": null, "weights": "dof", "interval": {"low": 0.03583562431283555, "high": 0.06270098754103948, "level": 0.95, "method": "combined"}, "variance": 0.05007139908794981, "homogeneity": {"dof": 2, "reason": null, "p_value": 0.6547446661895303, "statistic": 0.8470198839177504}, "max_min_ratio": 1.215224306367251}, "rounds": [{"dof": 80, "runs": 8, "round": "2023", "matrix": 2, "origin": "matrix", "source": null, "topics": 11, "ordinal": 1, "estimate": 4, "interval": {"low": 0.025769415590909093, "high": 0.07162104078465908, "level": 0.95, "method": "bootstrap"}, "revision": 2, "software": "roundbook 0.1.0", "variance": 0.05092544497727273, "chi_square": {"low": 0.038207730675275164, "high": 0.0712827546159284, "level": 0.95, "method": "chi-square"}, "assessments": "official", "two_way_dof": 70, "factor_version": null, "sum_of_squares": 4.074035598181818, "two_way_variance": 0.0181739289025974}, {"dof": 88, "runs": 8, "round": "2024", "matrix": 4, "origin": "matrix", "source": null, "topics": 12, "ordinal": 2, "estimate": 10, "interval": {"low": 0.02378339699431818, "high": 0.061511472808001885, "level": 0.95, "method": "bootstrap"}, "revision": 1, "software": "roundbook 0.1.0", "variance": 0.04485613151515151, "chi_square": {"low": 0.034075368215012704, "high": 0.06173415497987341, "level": 0.95, "method": "chi-square"}, "assessments": "official", "two_way_dof": 77, "factor_version": null, "sum_of_squares": 3.947339573333333, "two_way_variance": 0.01899255470779221}, {"dof": 88, "runs": 8, "round": "2025", "matrix": 8, "origin": "matrix", "source": null, "topics": 12, "ordinal": 3, "estimate": 22, "interval": {"low": 0.027160793540482956, "high": 0.0813151030423769, "level": 0.95, "method": "bootstrap"}, "revision": 1, "software": "roundbook 0.1.0", "variance": 0.05451026130681818, "chi_square": {"low": 0.04140921570329748, "high": 0.07502084566458504, "level": 0.95, "method": "chi-square"}, "assessments": "official", "two_way_dof": 77, "factor_version": null, "sum_of_squares": 4.796902995, "two_way_variance": 0.021642316985930735}], "measure": "nDCG@10", "software": "roundbook 0.1.0", "withdrawn": [], "assessments": "official"}, "interval": {"low": 0.03583562431283555, "high": 0.06270098754103948, "level": 0.95, "method": "combined"}, "protocol": "The topic set was designed for a one-way ANOVA with alpha = 0.05, beta = 0.2 (power 0.8), computed by roundbook 0.1.0 with the noncentral F distribution (engine exact); minD is the smallest difference between the best and the worst of m runs that is worth detecting. The residual variance of nDCG@10 (raw scale) was taken as 0.050071: pooled by their degrees of freedom over 3 rounds of web (2023, 2024, 2025), 256 degrees of freedom, with a 95% interval from 0.035836 to 0.062701 (combined). The design needs n = 80 topics for m = 2 and minD = 0.1 (100 at the upper end of the interval); n = 21 topics for m = 2 and minD = 0.2 (26 at the upper end of the interval); n = 158 topics for m = 10 and minD = 0.1 (198 at the upper end of the interval); n = 41 topics for m = 10 and minD = 0.2 (50 at the upper end of the interval). The method is that of T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016.", "software": "roundbook 0.1.0", "variance": 0.05007139908794981, "variance_upper": 0.06270098754103948}', 'roundbook 0.1.0', '2026-11-21 12:14:16.232183+00', 'simulated'),
	(3, 'a guess', NULL, 1, NULL, '{"m": [10], "beta": 0.2, "alpha": 0.05, "cells": [{"m": 10, "min_d": 0.1, "width": null, "topics": 158, "variance": 0.05, "solved_exact": 158.0, "solved_sakai": 157.0, "solved_upper": null, "topics_exact": 158, "topics_sakai": 157, "topics_upper": null, "achieved_power": 0.8020200397871347}], "min_d": [0.1], "notes": [], "scale": null, "solve": "topics", "design": "anova", "engine": "exact", "rounds": [], "topics": [], "warning": null, "estimate": null, "interval": null, "protocol": "The topic set was designed for a one-way ANOVA with alpha = 0.05, beta = 0.2 (power 0.8), computed by roundbook 0.1.0 with the noncentral F distribution (engine exact); minD is the smallest difference between the best and the worst of m runs that is worth detecting. The residual variance of the scores was taken as 0.05. The design needs n = 158 topics for m = 10 and minD = 0.1. The method is that of T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016.", "software": "roundbook 0.1.0", "variance": 0.05, "variance_upper": null}', 'roundbook 0.1.0', '2026-11-21 12:14:16.242604+00', 'simulated');


--
-- Data for Name: plan_estimate; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.plan_estimate VALUES
	(1, 0, 4, NULL),
	(1, 1, 10, NULL),
	(2, 0, 4, NULL),
	(2, 1, 10, NULL),
	(2, 2, 22, NULL);


--
-- Data for Name: published_variance; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.published_variance OVERRIDING SYSTEM VALUE VALUES
	(1, 11, 1, 'official', 'raw', 1, NULL, 50, 20, 0.061, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-21 12:14:16.25179+00', 'simulated'),
	(2, 12, 1, 'official', 'raw', 1, NULL, 50, 20, 0.052, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-21 12:14:16.268047+00', 'simulated'),
	(3, 12, 1, 'official', 'raw', 2, 'A misprint', 50, 20, 0.0525, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-21 12:14:16.27925+00', 'simulated'),
	(4, 12, 1, 'official', 'std-ab', 1, NULL, 50, 20, 0.0161, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-21 12:14:16.288763+00', 'simulated');


--
-- Data for Name: round; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.round OVERRIDING SYSTEM VALUE VALUES
	(5, 1, 2, '2024', '2024-11-12', 'draft', '2026-11-21 12:14:15.939281+00', 'crawl 2', 'ed0c72d4-e673-44c6-95a5-4621a6f8a2f4'),
	(9, 1, 3, '2025', NULL, 'draft', '2026-11-21 12:14:16.127828+00', 'crawl 2', '556f1618-0013-4691-a75e-0c758602686f'),
	(11, 11, 1, 'I', NULL, 'draft', '2026-11-21 12:14:16.25179+00', NULL, 'b0e461dd-2d8e-4c03-a139-d6728d6def20'),
	(12, 11, 2, 'II', NULL, 'draft', '2026-11-21 12:14:16.268047+00', NULL, '7d453804-823e-40af-9652-91d5c2c2cfc4'),
	(1, 1, 1, '2023', '2023-11-14', 'published', '2026-11-21 12:14:15.775002+00', NULL, '99cc6cad-42c7-438d-b024-13fe2da42d80');


--
-- Data for Name: run; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.run OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '2023-run1', NULL, NULL, NULL, NULL),
	(2, 1, '2023-run2', NULL, NULL, NULL, NULL),
	(3, 1, '2023-run3', NULL, NULL, NULL, NULL),
	(4, 1, '2023-run4', NULL, NULL, NULL, NULL),
	(5, 1, '2023-run5', NULL, NULL, NULL, NULL),
	(6, 1, '2023-run6', NULL, NULL, NULL, NULL),
	(7, 1, '2023-run7', NULL, NULL, NULL, NULL),
	(8, 1, '2023-run8', NULL, NULL, NULL, NULL),
	(25, 5, '2024-run1', 1, 'automatic', true, 'system0'),
	(26, 5, '2024-run2', 2, 'automatic', false, 'system1'),
	(27, 5, '2024-run3', 3, 'automatic', true, 'system2'),
	(28, 5, '2024-run4', 1, 'automatic', false, 'system0'),
	(29, 5, '2024-run5', 2, 'automatic', true, 'system1'),
	(30, 5, '2024-run6', 3, 'automatic', false, 'system2'),
	(31, 5, '2024-run7', 1, 'automatic', true, 'system0'),
	(32, 5, '2024-run8', 2, 'automatic', false, 'system1'),
	(60, 9, '2025-run4', NULL, NULL, NULL, NULL),
	(61, 9, '2025-run5', NULL, NULL, NULL, NULL),
	(62, 9, '2025-run6', NULL, NULL, NULL, NULL),
	(63, 9, '2025-run7', NULL, NULL, NULL, NULL),
	(64, 9, '2025-run8', NULL, NULL, NULL, NULL),
	(57, 9, '2025-run1', 2, NULL, NULL, NULL),
	(58, 9, '2025-run2', 2, NULL, NULL, NULL),
	(59, 9, '2025-run3', 2, NULL, NULL, NULL);


--
-- Data for Name: score_vector; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.score_vector VALUES
	(1, 1, 0, 12, 8, '{0.5928,0.7047,0.1777,0.3637,0.2444,0.0512,0.2367,0.2442,0.3478,0.2379,0.5229,0.2888}'),
	(1, 2, 1, 12, 8, '{0.8578,0.2838,0.4711,0.3304,0.3603,0.0606,0.3435,0.3372,0.2671,0.6468,0.589,0.1104}'),
	(1, 3, 2, 12, 8, '{0.5646,0.6408,0.2017,0.2583,0.1509,0.047,0.5028,0.3322,0.2591,0.2653,0.5186,0.2112}'),
	(1, 4, 3, 12, 8, '{0.7243,0.6206,0.3054,0.2144,0.3058,0.0984,0.4219,0.1803,0.6171,0.5494,0.6371,0.1077}'),
	(1, 5, 4, 12, 8, '{0.7633,0.7428,0.4821,0.2397,0.2689,0.1207,0.4818,0.4171,0.62,0.4407,0.7415,0.3867}'),
	(1, 6, 5, 12, 8, '{0.5643,0.7926,0.6817,0.306,0.771,0.0683,0.6031,0.5234,0.8,0.454,0.7621,0.203}'),
	(1, 7, 6, 12, 8, '{0.8654,0.6167,0.54,0.2949,0.6779,0.1324,0.3171,0.5086,0.8251,0.6459,0.9425,0.6264}'),
	(1, 8, 7, 12, 8, '{0.7308,0.8723,0.6662,0.609,0.2662,0.0894,0.7284,0.4105,0.6174,0.8509,0.8321,0.3893}'),
	(2, 1, 0, 11, 8, '{0.5928,0.7047,0.1777,0.2444,0.0512,0.2367,0.2442,0.3478,0.2379,0.5229,0.2888}'),
	(2, 2, 1, 11, 8, '{0.8578,0.2838,0.4711,0.3603,0.0606,0.3435,0.3372,0.2671,0.6468,0.589,0.1104}'),
	(2, 3, 2, 11, 8, '{0.5646,0.6408,0.2017,0.1509,0.047,0.5028,0.3322,0.2591,0.2653,0.5186,0.2112}'),
	(2, 4, 3, 11, 8, '{0.7243,0.6206,0.3054,0.3058,0.0984,0.4219,0.1803,0.6171,0.5494,0.6371,0.1077}'),
	(2, 5, 4, 11, 8, '{0.7633,0.7428,0.4821,0.2689,0.1207,0.4818,0.4171,0.62,0.4407,0.7415,0.3867}'),
	(2, 6, 5, 11, 8, '{0.5643,0.7926,0.6817,0.771,0.0683,0.6031,0.5234,0.8,0.454,0.7621,0.203}'),
	(2, 7, 6, 11, 8, '{0.8654,0.6167,0.54,0.6779,0.1324,0.3171,0.5086,0.8251,0.6459,0.9425,0.6264}'),
	(2, 8, 7, 11, 8, '{0.7308,0.8723,0.6662,0.2662,0.0894,0.7284,0.4105,0.6174,0.8509,0.8321,0.3893}'),
	(3, 1, 0, 12, 8, '{0,0.4,0.4,0.2,0,0,0.2,0.2,0.2,0.2,0.2,0.4}'),
	(3, 2, 1, 12, 8, '{0,0.4,0.4,0.2,0.4,0,0.4,0.2,0.2,0.6,0.8,0}'),
	(3, 3, 2, 12, 8, '{0,0.4,0.2,0.6,0.4,0,0.6,0.4,0.4,0.2,0.4,0.2}'),
	(3, 4, 3, 12, 8, '{0,0.6,0.2,0.4,0.4,0,0.6,0.4,0.2,0.2,0.8,0.6}'),
	(3, 5, 4, 12, 8, '{0,0.4,0.6,0.4,0.2,0,0.4,0.2,0.2,0.4,0.8,0.6}'),
	(3, 6, 5, 12, 8, '{0,0.8,0.6,0.2,0.4,0,0.4,0.2,0.8,0.4,0.8,0.2}'),
	(3, 7, 6, 12, 8, '{0,0.6,0.8,0.4,0.4,0.2,0.6,0.2,0.8,0.6,0.8,0.6}'),
	(3, 8, 7, 12, 8, '{0,0.8,0.6,0.6,0.8,0,0.8,0.6,0.8,0.6,0.8,0.4}'),
	(4, 25, 0, 12, 8, '{0.495,0.4449,0.2602,0.2214,0.2367,0.021,0.4434,0.5159,0.0717,0.1119,0.0253,0.0595}'),
	(4, 26, 1, 12, 8, '{0.6643,0.4447,0.4663,0.1636,0.353,0.0246,0.4567,0.3448,0.1446,0.4353,0.0918,0.3301}'),
	(4, 27, 2, 12, 8, '{0.4051,0.3581,0.4103,0.1475,0.3006,0.0775,0.3498,0.1314,0.1725,0.1527,0.0696,0.3246}'),
	(4, 28, 3, 12, 8, '{0.5225,0.4591,0.3554,0.2905,0.5118,0.0326,0.409,0.1808,0.1728,0.6355,0.1314,0.3008}'),
	(4, 29, 4, 12, 8, '{0.7795,0.6695,0.5135,0.337,0.2914,0.0896,0.6605,0.2789,0.7045,0.331,0.0908,0.2782}'),
	(4, 30, 5, 12, 8, '{0.6688,0.6166,0.4327,0.4389,0.6307,0.0411,0.5051,0.6096,0.3019,0.5937,0.2887,0.2415}'),
	(4, 31, 6, 12, 8, '{0.8546,0.7631,0.7044,0.4081,0.8174,0.1613,0.6026,0.245,0.1427,0.8039,0.2946,0.8209}'),
	(4, 32, 7, 12, 8, '{0.9336,0.6503,0.7579,0.8388,0.5459,0.0547,0.578,0.2686,0.4402,0.8214,0.4257,0.6448}'),
	(5, 25, 0, 12, 8, '{0.4748,0.458,0.2623,0.2368,0.2377,0.0471,0.4257,0.5327,0.0989,0.1311,0.0342,0.0528}'),
	(5, 26, 1, 12, 8, '{0.6555,0.4127,0.4711,0.13,0.3905,0.0401,0.4709,0.3443,0.1424,0.4293,0.1121,0.3504}'),
	(5, 27, 2, 12, 8, '{0.4446,0.3719,0.4147,0.1591,0.2618,0.0881,0.3634,0.1075,0.1326,0.1598,0.0629,0.325}'),
	(5, 28, 3, 12, 8, '{0.5288,0.4413,0.3638,0.2833,0.5212,0.0425,0.423,0.1818,0.1613,0.6359,0.1359,0.307}'),
	(5, 29, 4, 12, 8, '{0.755,0.6583,0.4877,0.3214,0.2741,0.0613,0.6507,0.2264,0.7055,0.3265,0.1224,0.2766}'),
	(5, 30, 5, 12, 8, '{0.6865,0.6079,0.4673,0.4294,0.6443,0.0499,0.516,0.6061,0.2808,0.6241,0.2806,0.2217}'),
	(5, 31, 6, 12, 8, '{0.8408,0.7616,0.6879,0.4051,0.7931,0.1339,0.5888,0.2756,0.1422,0.793,0.2986,0.8193}'),
	(5, 32, 7, 12, 8, '{0.93,0.6553,0.7524,0.8491,0.5665,0.0359,0.5607,0.2713,0.4351,0.8095,0.4623,0.6382}'),
	(6, 25, 0, 12, 8, '{0,0.6,0.2,0.2,0.2,0,0.2,0,0.4,0.2,0,0}'),
	(6, 26, 1, 12, 8, '{0,0.8,0.4,0.2,0.2,0,0.2,0.2,0.2,0.4,0.4,0.2}'),
	(6, 27, 2, 12, 8, '{0,0.6,0.6,0.4,0.2,0,0.4,0.2,0.4,0.4,0,0.2}'),
	(6, 28, 3, 12, 8, '{0,1,0.8,0.4,0.2,0.2,0.6,0.2,0.4,0.6,0.2,0.6}'),
	(6, 29, 4, 12, 8, '{0,0.4,0.8,0.2,0.2,0,0.4,0.2,0.2,0.4,0.2,0.4}'),
	(6, 30, 5, 12, 8, '{0,1,0.6,0.6,0.2,0.2,0.8,0.2,0.4,0.6,0.4,0.6}'),
	(6, 31, 6, 12, 8, '{0,0.8,0.8,0.6,0.6,0.2,0.8,0.4,0.4,0.6,0.4,0.4}'),
	(6, 32, 7, 12, 8, '{0,1,0.6,0.6,0.4,0.2,0.8,0.6,0.4,0.6,0.6,0.8}'),
	(7, 25, 0, 12, 8, '{0,0.581,0.2381,0.1996,0.2102,0.002,0.2163,0,0.4121,0.1607,0.0035,0}'),
	(7, 26, 1, 12, 8, '{0.0121,0.8144,0.402,0.2218,0.1867,0.0085,0.2226,0.2676,0.2297,0.4055,0.3677,0.2249}');
INSERT INTO roundbook.score_vector VALUES
	(7, 27, 2, 12, 8, '{0,0.6046,0.585,0.4007,0.2185,0.0429,0.4213,0.2325,0.4115,0.3933,0,0.2215}'),
	(7, 28, 3, 12, 8, '{0,0.9611,0.7767,0.3927,0.2388,0.212,0.6295,0.1879,0.3944,0.6039,0.1932,0.6077}'),
	(7, 29, 4, 12, 8, '{0.015,0.4019,0.8371,0.1913,0.1699,0.0081,0.4383,0.2121,0.1854,0.4014,0.1919,0.4217}'),
	(7, 30, 5, 12, 8, '{0,0.9969,0.5915,0.6225,0.2176,0.22,0.7822,0.2186,0.4252,0.6326,0.3936,0.5964}'),
	(7, 31, 6, 12, 8, '{0.027,0.8118,0.7886,0.6085,0.5529,0.2156,0.796,0.38,0.4275,0.5792,0.4186,0.4317}'),
	(7, 32, 7, 12, 8, '{0,1,0.6179,0.6078,0.3955,0.2056,0.7885,0.6347,0.417,0.6103,0.553,0.803}'),
	(8, 57, 0, 12, 8, '{0.5781,0.6636,0.1936,0.2185,0.4933,0.0119,0.3164,0.136,0.2771,0.2191,0.3093,0.4202}'),
	(8, 58, 1, 12, 8, '{0.7121,0.6253,0.3605,0.1781,0.423,0.0446,0.603,0.3182,0.3313,0.6339,0.4396,0.6381}'),
	(8, 59, 2, 12, 8, '{0.7973,0.8377,0.3839,0.6135,0.5928,0.0596,0.3024,0.5089,0.1678,0.2999,0.6227,0.6493}'),
	(8, 60, 3, 12, 8, '{0.8361,0.5785,0.7737,0.1892,0.6429,0.08,0.5752,0.4857,0.3044,0.684,0.4702,0.5816}'),
	(8, 61, 4, 12, 8, '{0.8042,0.7729,0.6778,0.3119,0.6582,0.0464,0.5562,0.8005,0.2781,0.3703,0.408,0.6014}'),
	(8, 62, 5, 12, 8, '{0.9426,0.4774,0.7489,0.5434,0.1595,0.0929,0.7526,0.4012,0.2685,0.7192,0.3143,0.6657}'),
	(8, 63, 6, 12, 8, '{0.9216,0.7926,0.4177,0.4301,0.7062,0.0872,0.7924,0.3328,0.4176,0.8481,0.8071,0.9079}'),
	(8, 64, 7, 12, 8, '{0.8256,0.9223,0.7729,0.7112,0.4562,0.1466,0.7208,0.787,0.6395,0.8168,0.837,0.748}'),
	(9, 57, 0, 12, 8, '{0,0.6,0.6,0.4,0.2,0,0.6,0.2,0.2,0.2,0.4,0.6}'),
	(9, 58, 1, 12, 8, '{0,0.6,0.4,0.4,0.4,0,0.8,0.2,0.4,0.4,0.4,0.4}'),
	(9, 59, 2, 12, 8, '{0,0.8,0.4,0.4,0.4,0.2,0.8,0.4,0.4,0.6,0.6,0.8}'),
	(9, 60, 3, 12, 8, '{0,0.6,0.8,0.2,0.4,0,0.6,0.4,0.6,0.6,0.6,0.4}'),
	(9, 61, 4, 12, 8, '{0,0.8,0.8,0.6,0.6,0,0.6,0.4,0.2,0.8,0.6,0.8}'),
	(9, 62, 5, 12, 8, '{0,0.6,0.8,0.4,0.8,0,0.8,0.4,0.6,0.6,0.6,0.8}'),
	(9, 63, 6, 12, 8, '{0,0.8,0.8,0.6,0.4,0.2,0.6,0.2,0.6,0.8,0.4,0.6}'),
	(9, 64, 7, 12, 8, '{0,0.8,0.8,0.6,0.6,0.2,0.8,0.6,0.6,0.6,0.8,1}'),
	(10, 57, 0, 8, 8, '{0.3375,0.2787,0.1763,0.3366,0.318,0.2501,0.2702,0.4029}'),
	(10, 58, 1, 8, 8, '{0.6187,0.3287,0.3689,0.3288,0.6194,0.3622,0.4579,0.3146}'),
	(10, 59, 2, 8, 8, '{0.2346,0.7374,0.3136,0.4419,0.552,0.2491,0.656,0.4101}'),
	(10, 60, 3, 8, 8, '{0.4899,0.8065,0.3937,0.6305,0.6391,0.6496,0.7713,0.4053}'),
	(10, 61, 4, 8, 8, '{0.4124,0.5163,0.3818,0.3631,0.7681,0.5084,0.8305,0.4048}'),
	(10, 62, 5, 8, 8, '{0.4111,0.8688,0.5405,0.7268,0.4564,0.5897,0.2945,0.728}'),
	(10, 63, 6, 8, 8, '{0.4067,0.2908,0.3968,0.5602,0.4072,0.7241,0.404,0.3426}'),
	(10, 64, 7, 8, 8, '{0.5877,0.9253,0.448,0.727,0.6199,0.8081,0.5903,0.5527}'),
	(11, 57, 0, 8, 8, '{0.3375,0.2787,0.1763,0.3366,0.318,0.2501,0.2702,0.4029}'),
	(11, 58, 1, 8, 8, '{0.6187,0.3287,0.3689,0.3288,0.6194,0.3622,0.4579,0.3146}'),
	(11, 59, 2, 8, 8, '{0.2346,0.7374,0.3136,0.4419,0.552,0.2491,0.656,0.4101}'),
	(11, 60, 3, 8, 8, '{0.4899,0.8065,0.3937,0.6305,0.6391,0.6496,0.7713,0.4053}'),
	(11, 61, 4, 8, 8, '{0.4124,0.5163,0.3818,0.3631,0.7681,0.5084,0.8305,0.4048}'),
	(11, 62, 5, 8, 8, '{0.4111,0.8688,0.5405,0.7268,0.4564,0.5897,0.2945,0.728}'),
	(11, 63, 6, 8, 8, '{0.4067,0.2908,0.3968,0.5602,0.4072,0.7241,0.404,0.3426}'),
	(11, 64, 7, 8, 8, '{0.5877,0.9253,0.448,0.727,0.6199,0.8081,0.5903,0.5527}');


--
-- Data for Name: task; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.task OVERRIDING SYSTEM VALUE VALUES
	(1, 'web', 'Simulated web search', '2026-11-21 12:14:15.760863+00'),
	(11, 'speech', NULL, '2026-11-21 12:14:16.247382+00');


--
-- Data for Name: team; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.team OVERRIDING SYSTEM VALUE VALUES
	(1, 'Team 0'),
	(2, 'Team 1'),
	(3, 'Team 2');


--
-- Data for Name: topic; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.topic OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '1'),
	(2, 1, '2'),
	(3, 1, '3'),
	(4, 1, '4'),
	(5, 1, '5'),
	(6, 1, '6'),
	(7, 1, '7'),
	(8, 1, '8'),
	(9, 1, '9'),
	(10, 1, '10'),
	(11, 1, '11'),
	(12, 1, '12'),
	(44, 1, '13'),
	(45, 1, '14'),
	(46, 1, '15'),
	(47, 1, '16'),
	(92, 1, '17'),
	(93, 1, '18'),
	(94, 1, '19'),
	(95, 1, '20');


--
-- Data for Name: variance_estimate; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.variance_estimate OVERRIDING SYSTEM VALUE VALUES
	(1, 1, NULL, 'raw', 12, 8, 4.334436945833334, 88, 0.04925496529356061, 'roundbook 0.1.0', '2026-11-21 12:14:15.79039+00', 1.3893302905208333, 77, 0.03741698229658581, 0.06778813861676555, 0.026375081132812502, 0.06829668054214015, 0.95, 1000, 0),
	(2, 1, 1, 'std-ab', 12, 8, 1.0657571336981784, 88, 0.012110876519297481, 'roundbook 0.1.0', '2026-11-21 12:14:15.79039+00', 1.0657571336981784, 77, 0.009200137480919796, 0.016667837879240158, 0.00834336075511749, 0.013810086475787178, 0.95, 1000, 0),
	(3, 1, 1, 'std-cdf', 12, 8, 4.487191778972466, 88, 0.05099081567014166, 'roundbook 0.1.0', '2026-11-21 12:14:15.79039+00', 4.453248726013838, 77, 0.03873563682050944, 0.07017713767999349, 0.03465939154960329, 0.057317911933256915, 0.95, 1000, 0),
	(4, 2, NULL, 'raw', 11, 8, 4.074035598181818, 80, 0.05092544497727273, 'roundbook 0.1.0', '2026-11-21 12:14:15.855085+00', 1.2721750231818179, 70, 0.038207730675275164, 0.0712827546159284, 0.025769415590909093, 0.07162104078465908, 0.95, 1000, 0),
	(5, 2, 2, 'std-ab', 11, 8, 0.9163173234976206, 80, 0.011453966543720258, 'roundbook 0.1.0', '2026-11-21 12:14:15.855085+00', 0.9163173234976207, 70, 0.008593544328603977, 0.016032658858051083, 0.00723696636681381, 0.013631133365263533, 0.95, 1000, 0),
	(6, 2, 2, 'std-cdf', 11, 8, 3.921950441989719, 80, 0.049024380524871486, 'roundbook 0.1.0', '2026-11-21 12:14:15.855085+00', 3.89926135281782, 70, 0.036781422890903276, 0.06862174476260145, 0.03152309275040906, 0.057367359618575635, 0.95, 1000, 0),
	(7, 3, NULL, 'raw', 12, 8, 5.38, 88, 0.061136363636363635, 'roundbook 0.1.0', '2026-11-21 12:14:15.906963+00', 2.01, 77, 0.046442794593919125, 0.0841401525309493, 0.028749053030303028, 0.08564867424242424, 0.95, 1000, 0),
	(8, 3, 3, 'std-ab', 12, 8, 1.0993110137966133, 88, 0.012492170611325152, 'roundbook 0.1.0', '2026-11-21 12:14:15.906963+00', 1.0993110137966133, 77, 0.00948979100531396, 0.01719260155758356, 0.008745320972532382, 0.013659876266866376, 0.95, 1000, 0),
	(9, 3, 3, 'std-cdf', 12, 8, 4.729310004117648, 88, 0.05374215913770055, 'roundbook 0.1.0', '2026-11-21 12:14:15.906963+00', 4.675258648680453, 77, 0.04082571990561389, 0.07396372957483334, 0.03773620815020318, 0.05941378796520222, 0.95, 1000, 0),
	(10, 4, NULL, 'raw', 12, 8, 3.947339573333333, 88, 0.04485613151515151, 'roundbook 0.1.0', '2026-11-21 12:14:15.939281+00', 1.4624267125000001, 77, 0.034075368215012704, 0.06173415497987341, 0.02378339699431818, 0.061511472808001885, 0.95, 1000, 0),
	(11, 4, 4, 'std-ab', 12, 8, 0.9287592709900492, 88, 0.010554082624886923, 'roundbook 0.1.0', '2026-11-21 12:14:15.939281+00', 0.791839771477424, 77, 0.008017504841968202, 0.014525268908110782, 0.00529476525447241, 0.014219078130464835, 0.95, 1000, 0),
	(12, 4, 4, 'std-cdf', 12, 8, 3.4635056079327997, 88, 0.039358018271963634, 'roundbook 0.1.0', '2026-11-21 12:14:15.939281+00', 2.9976399781503202, 77, 0.029898676491470263, 0.054167265825885505, 0.021166521471573437, 0.05189106502879511, 0.95, 1000, 0),
	(13, 5, NULL, 'raw', 12, 8, 3.9371718225000003, 88, 0.044740588892045456, 'roundbook 0.1.0', '2026-11-21 12:14:15.988161+00', 1.4793906438541666, 77, 0.03398759521065683, 0.061575137116302164, 0.023939516707859855, 0.06149853989512311, 0.95, 1000, 0),
	(14, 5, 5, 'std-ab', 12, 8, 1.023197906102875, 88, 0.011627248932987217, 'roundbook 0.1.0', '2026-11-21 12:14:15.988161+00', 0.8621617218140064, 77, 0.008832745387000738, 0.016002235667071346, 0.005899583716085698, 0.01604714747182347, 0.95, 1000, 0),
	(15, 5, 5, 'std-cdf', 12, 8, 3.780432516032953, 88, 0.042959460409465376, 'roundbook 0.1.0', '2026-11-21 12:14:15.988161+00', 3.1910435466858633, 77, 0.03263454476176418, 0.05912382314720689, 0.021670725401804588, 0.058316625984849414, 0.95, 1000, 0),
	(16, 6, NULL, 'raw', 12, 8, 5.27, 88, 0.05988636363636363, 'roundbook 0.1.0', '2026-11-21 12:14:16.028849+00', 1.29875, 77, 0.045493220726757204, 0.08241981483979605, 0.02616761363636365, 0.08810890151515148, 0.95, 1000, 0),
	(17, 6, 6, 'std-ab', 12, 8, 1.0884199156587924, 88, 0.012368408132486276, 'roundbook 0.1.0', '2026-11-21 12:14:16.028849+00', 0.8291587488493137, 77, 0.0093957737128015, 0.017022270951905904, 0.006962278820726645, 0.01551452004356581, 0.95, 1000, 0),
	(18, 6, 6, 'std-cdf', 12, 8, 3.665844106629158, 88, 0.04165731939351316, 'roundbook 0.1.0', '2026-11-21 12:14:16.028849+00', 3.0249672338959823, 77, 0.03164536149767787, 0.05733172533205556, 0.02561226129344818, 0.048651881714635005, 0.95, 1000, 0),
	(19, 7, NULL, 'raw', 12, 8, 5.115213495000001, 88, 0.05812742607954546, 'roundbook 0.1.0', '2026-11-21 12:14:16.066902+00', 1.22792480125, 77, 0.04415702781641788, 0.07999904157949263, 0.02540901107694129, 0.08538420481557764, 0.95, 1000, 0),
	(20, 7, 7, 'std-ab', 12, 8, 1.1208971326444055, 88, 0.0127374674164137, 'roundbook 0.1.0', '2026-11-21 12:14:16.066902+00', 0.8497768597766091, 77, 0.009676132953962276, 0.017530196229034196, 0.007156287556313811, 0.016465304557831517, 0.95, 1000, 0),
	(21, 7, 7, 'std-cdf', 12, 8, 4.1599722141592865, 88, 0.047272411524537344, 'roundbook 0.1.0', '2026-11-21 12:14:16.066902+00', 3.318669755625028, 77, 0.035910917297139536, 0.06505960903789465, 0.02697674775515312, 0.05984987760589039, 0.95, 1000, 0),
	(22, 8, NULL, 'raw', 12, 8, 4.796902995, 88, 0.05451026130681818, 'roundbook 0.1.0', '2026-11-21 12:14:16.127828+00', 1.6664584079166667, 77, 0.04140921570329748, 0.07502084566458504, 0.027160793540482956, 0.0813151030423769, 0.95, 1000, 0),
	(23, 8, 8, 'std-ab', 12, 8, 1.0316321444918044, 88, 0.011723092551043231, 'roundbook 0.1.0', '2026-11-21 12:14:16.127828+00', 1.0316321444918044, 77, 0.008905553863032932, 0.016134142377949953, 0.007695766019073465, 0.013438462963325907, 0.95, 1000, 0),
	(24, 8, 8, 'std-cdf', 12, 8, 4.459131872877077, 88, 0.05067195310087587, 'roundbook 0.1.0', '2026-11-21 12:14:16.127828+00', 4.4293516797941574, 77, 0.03849340997011672, 0.06973829664302877, 0.03286408226082852, 0.05775424957445796, 0.95, 1000, 0),
	(25, 9, NULL, 'raw', 12, 8, 6.0166666666666675, 88, 0.06837121212121212, 'roundbook 0.1.0', '2026-11-21 12:14:16.157543+00', 1.2220833333333334, 77, 0.05193881303718961, 0.09409725856156351, 0.025217803030303045, 0.1001155303030303, 0.95, 1000, 0),
	(26, 9, 9, 'std-ab', 12, 8, 1.0834444064941517, 88, 0.01231186825561536, 'roundbook 0.1.0', '2026-11-21 12:14:16.157543+00', 1.0834444064941517, 77, 0.009352822681178161, 0.016944456806918543, 0.008769958951538051, 0.013595556030701604, 0.95, 1000, 0),
	(27, 9, 9, 'std-cdf', 12, 8, 4.94153514316957, 88, 0.056153808445108755, 'roundbook 0.1.0', '2026-11-21 12:14:16.157543+00', 4.9233614061252275, 77, 0.04265775123287307, 0.07728281053593569, 0.038718561234294, 0.06381123236467302, 0.95, 1000, 0),
	(28, 2, 10, 'std-ab', 11, 8, 2.0746567382288976, 80, 0.02593320922786122, 'roundbook 0.1.0', '2026-11-21 12:14:16.182662+00', 1.7647091944417377, 70, 0.019456856472552832, 0.03629993985557043, 0.01810665604776745, 0.028811214903950635, 0.95, 1000, 0),
	(29, 2, 10, 'std-cdf', 11, 8, 4.950242988943086, 80, 0.061878037361788575, 'roundbook 0.1.0', '2026-11-21 12:14:16.182662+00', 4.651993614337194, 70, 0.04642511002680385, 0.08661361634334497, 0.0372683486831352, 0.06992713564435034, 0.95, 1000, 0),
	(30, 10, NULL, 'raw', 8, 8, 1.3362986112500002, 56, 0.02386247520089286, 'roundbook 0.1.0', '2026-11-21 12:14:17.337735+00', 1.0592496414062502, 49, 0.017008359829648996, 0.03591081413945537, 0.01259835678125, 0.02713931270089286, 0.95, 1000, 0),
	(31, 10, 11, 'std-ab', 8, 8, 0.7078006382553963, 56, 0.012639297111703505, 'roundbook 0.1.0', '2026-11-21 12:14:17.337735+00', 0.7078006382553964, 49, 0.009008860625726405, 0.01902097102712784, 0.006962331919162912, 0.014248986230052343, 0.95, 1000, 0),
	(32, 10, 11, 'std-cdf', 8, 8, 3.029918026917291, 56, 0.05410567905209448, 'roundbook 0.1.0', '2026-11-21 12:14:17.337735+00', 3.0164312485457376, 49, 0.03856468578377368, 0.08142403367510209, 0.02847701923974582, 0.05918707001214583, 0.95, 1000, 0),
	(33, 11, NULL, 'raw', 8, 8, 1.3362986112500002, 56, 0.02386247520089286, 'roundbook 0.1.0', '2026-11-21 12:14:17.396294+00', 1.0592496414062502, 49, 0.017008359829648996, 0.03591081413945537, 0.01259835678125, 0.02713931270089286, 0.95, 1000, 0),
	(34, 11, 12, 'std-ab', 8, 8, 0.7078006382553963, 56, 0.012639297111703505, 'roundbook 0.1.0', '2026-11-21 12:14:17.396294+00', 0.7078006382553964, 49, 0.009008860625726405, 0.01902097102712784, 0.006962331919162912, 0.014248986230052343, 0.95, 1000, 0),
	(35, 11, 12, 'std-cdf', 8, 8, 3.029918026917291, 56, 0.05410567905209448, 'roundbook 0.1.0', '2026-11-21 12:14:17.396294+00', 3.0164312485457376, 49, 0.03856468578377368, 0.08142403367510209, 0.02847701923974582, 0.05918707001214583, 0.95, 1000, 0);


--
-- Data for Name: withdrawal; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.withdrawal VALUES
	(10, 1, true, 'The assessors guessed', 'roundbook 0.1.0', '2026-11-21 12:14:17.369015+00', 'simulated'),
	(11, 1, true, 'The assessors guessed', 'roundbook 0.1.0', '2026-11-21 12:14:17.429186+00', 'simulated'),
	(11, 2, false, 'These did not', 'roundbook 0.1.0', '2026-11-21 12:14:17.452686+00', 'simulated');


--
-- Name: drift_report_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.drift_report_id_seq', 1, true);


--
-- Name: event_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.event_id_seq', 33, true);


--
-- Name: factor_set_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.factor_set_id_seq', 12, true);


--
-- Name: matrix_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.matrix_id_seq', 11, true);


--
-- Name: measure_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.measure_id_seq', 15, true);


--
-- Name: plan_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.plan_id_seq', 3, true);


--
-- Name: published_variance_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.published_variance_id_seq', 4, true);


--
-- Name: round_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.round_id_seq', 16, true);


--
-- Name: run_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.run_id_seq', 88, true);


--
-- Name: task_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.task_id_seq', 17, true);


--
-- Name: team_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.team_id_seq', 16, true);


--
-- Name: topic_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.topic_id_seq', 123, true);


--
-- Name: variance_estimate_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.variance_estimate_id_seq', 35, true);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: drift_report drift_report_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.drift_report
    ADD CONSTRAINT drift_report_pk PRIMARY KEY (id);


--
-- Name: drift_report drift_report_task_id_number_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.drift_report
    ADD CONSTRAINT drift_report_task_id_number_key UNIQUE (task_id, number);


--
-- Name: event event_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.event
    ADD CONSTRAINT event_pk PRIMARY KEY (id);


--
-- Name: factor factor_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor
    ADD CONSTRAINT factor_pk PRIMARY KEY (factor_set_id, topic_id);


--
-- Name: factor_set factor_set_id_matrix_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set
    ADD CONSTRAINT factor_set_id_matrix_id_key UNIQUE (id, matrix_id);


--
-- Name: factor_set factor_set_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set
    ADD CONSTRAINT factor_set_pk PRIMARY KEY (id);


--
-- Name: factor_set factor_set_round_id_measure_id_assessments_version_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set
    ADD CONSTRAINT factor_set_round_id_measure_id_assessments_version_key UNIQUE (round_id, measure_id, assessments, version);


--
-- Name: factor_set_run factor_set_run_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set_run
    ADD CONSTRAINT factor_set_run_pk PRIMARY KEY (factor_set_id, run_id);


--
-- Name: matrix matrix_id_round_id_measure_id_assessments_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_id_round_id_measure_id_assessments_key UNIQUE (id, round_id, measure_id, assessments);


--
-- Name: matrix matrix_id_topics_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_id_topics_key UNIQUE (id, topics);


--
-- Name: matrix matrix_id_topics_runs_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_id_topics_runs_key UNIQUE (id, topics, runs);


--
-- Name: matrix matrix_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_pk PRIMARY KEY (id);


--
-- Name: matrix matrix_round_id_measure_id_assessments_revision_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_round_id_measure_id_assessments_revision_key UNIQUE (round_id, measure_id, assessments, revision);


--
-- Name: matrix_topic matrix_topic_matrix_id_topic_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_topic
    ADD CONSTRAINT matrix_topic_matrix_id_topic_id_key UNIQUE (matrix_id, topic_id);


--
-- Name: matrix_topic matrix_topic_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_topic
    ADD CONSTRAINT matrix_topic_pk PRIMARY KEY (matrix_id, "position");


--
-- Name: measure measure_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.measure
    ADD CONSTRAINT measure_pk PRIMARY KEY (id);


--
-- Name: plan_estimate plan_estimate_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan_estimate
    ADD CONSTRAINT plan_estimate_pk PRIMARY KEY (plan_id, "position");


--
-- Name: plan plan_name_version_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan
    ADD CONSTRAINT plan_name_version_key UNIQUE (name, version);


--
-- Name: plan plan_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan
    ADD CONSTRAINT plan_pk PRIMARY KEY (id);


--
-- Name: published_variance published_variance_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.published_variance
    ADD CONSTRAINT published_variance_pk PRIMARY KEY (id);


--
-- Name: published_variance published_variance_revision_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.published_variance
    ADD CONSTRAINT published_variance_revision_key UNIQUE (round_id, measure_id, assessments, scale, revision);


--
-- Name: round round_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.round
    ADD CONSTRAINT round_pk PRIMARY KEY (id);


--
-- Name: round round_task_id_label_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.round
    ADD CONSTRAINT round_task_id_label_key UNIQUE (task_id, label);


--
-- Name: round round_task_id_ordinal_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.round
    ADD CONSTRAINT round_task_id_ordinal_key UNIQUE (task_id, ordinal);


--
-- Name: run run_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run
    ADD CONSTRAINT run_pk PRIMARY KEY (id);


--
-- Name: run run_round_id_tag_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run
    ADD CONSTRAINT run_round_id_tag_key UNIQUE (round_id, tag);


--
-- Name: score_vector score_vector_matrix_id_run_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.score_vector
    ADD CONSTRAINT score_vector_matrix_id_run_id_key UNIQUE (matrix_id, run_id);


--
-- Name: score_vector score_vector_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.score_vector
    ADD CONSTRAINT score_vector_pk PRIMARY KEY (matrix_id, "position");


--
-- Name: task task_name_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.task
    ADD CONSTRAINT task_name_key UNIQUE (name);


--
-- Name: task task_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.task
    ADD CONSTRAINT task_pk PRIMARY KEY (id);


--
-- Name: team team_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.team
    ADD CONSTRAINT team_pk PRIMARY KEY (id);


--
-- Name: topic topic_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic
    ADD CONSTRAINT topic_pk PRIMARY KEY (id);


--
-- Name: topic topic_task_id_name_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic
    ADD CONSTRAINT topic_task_id_name_key UNIQUE (task_id, name);


--
-- Name: variance_estimate variance_estimate_matrix_id_scale_factor_set_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.variance_estimate
    ADD CONSTRAINT variance_estimate_matrix_id_scale_factor_set_id_key UNIQUE NULLS NOT DISTINCT (matrix_id, scale, factor_set_id);


--
-- Name: variance_estimate variance_estimate_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.variance_estimate
    ADD CONSTRAINT variance_estimate_pk PRIMARY KEY (id);


--
-- Name: withdrawal withdrawal_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.withdrawal
    ADD CONSTRAINT withdrawal_pk PRIMARY KEY (matrix_id, number);


--
-- Name: event_matrix_id_index; Type: INDEX; Schema: roundbook; Owner: -
--

CREATE INDEX event_matrix_id_index ON roundbook.event USING btree (matrix_id);


--
-- Name: event_task_id_index; Type: INDEX; Schema: roundbook; Owner: -
--

CREATE INDEX event_task_id_index ON roundbook.event USING btree (task_id);


--
-- Name: measure_name_folded_key; Type: INDEX; Schema: roundbook; Owner: -
--

CREATE UNIQUE INDEX measure_name_folded_key ON roundbook.measure USING btree (lower(name));


--
-- Name: team_name_folded_key; Type: INDEX; Schema: roundbook; Owner: -
--

CREATE UNIQUE INDEX team_name_folded_key ON roundbook.team USING btree (lower(name));


--
-- Name: drift_report immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.drift_report FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.drift_report ENABLE ALWAYS TRIGGER immutable;


--
-- Name: event immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.event FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.event ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.factor FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.factor ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor_set immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.factor_set FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.factor_set ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor_set_run immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.factor_set_run FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.factor_set_run ENABLE ALWAYS TRIGGER immutable;


--
-- Name: matrix immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.matrix FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.matrix ENABLE ALWAYS TRIGGER immutable;


--
-- Name: matrix_topic immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.matrix_topic FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.matrix_topic ENABLE ALWAYS TRIGGER immutable;


--
-- Name: measure immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.measure FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.measure ENABLE ALWAYS TRIGGER immutable;


--
-- Name: plan immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.plan FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.plan ENABLE ALWAYS TRIGGER immutable;


--
-- Name: plan_estimate immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.plan_estimate FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.plan_estimate ENABLE ALWAYS TRIGGER immutable;


--
-- Name: published_variance immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.published_variance FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER immutable;


--
-- Name: round immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, task_id, ordinal, label, pseudonym_key, created_at OR TRUNCATE ON roundbook.round FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER immutable;


--
-- Name: run immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, round_id, tag OR TRUNCATE ON roundbook.run FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.run ENABLE ALWAYS TRIGGER immutable;


--
-- Name: score_vector immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.score_vector FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.score_vector ENABLE ALWAYS TRIGGER immutable;


--
-- Name: task immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, name, created_at OR TRUNCATE ON roundbook.task FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.task ENABLE ALWAYS TRIGGER immutable;


--
-- Name: team immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, name OR TRUNCATE ON roundbook.team FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.team ENABLE ALWAYS TRIGGER immutable;


--
-- Name: topic immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.topic FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.topic ENABLE ALWAYS TRIGGER immutable;


--
-- Name: variance_estimate immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.variance_estimate FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.variance_estimate ENABLE ALWAYS TRIGGER immutable;


--
-- Name: withdrawal immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.withdrawal FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.withdrawal ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.factor REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_part('factor_set', 'factor_set_id');

ALTER TABLE roundbook.factor ENABLE ALWAYS TRIGGER in_time;


--
-- Name: factor_set_run in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.factor_set_run REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_part('factor_set', 'factor_set_id');

ALTER TABLE roundbook.factor_set_run ENABLE ALWAYS TRIGGER in_time;


--
-- Name: plan_estimate in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.plan_estimate REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_part('plan', 'plan_id');

ALTER TABLE roundbook.plan_estimate ENABLE ALWAYS TRIGGER in_time;


--
-- Name: variance_estimate in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.variance_estimate REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_estimate();

ALTER TABLE roundbook.variance_estimate ENABLE ALWAYS TRIGGER in_time;


--
-- Name: drift_report in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.drift_report DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('number', 'task_id');

ALTER TABLE roundbook.drift_report ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: factor_set in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.factor_set DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('version', 'round_id', 'measure_id', 'assessments');

ALTER TABLE roundbook.factor_set ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: matrix in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.matrix DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('revision', 'round_id', 'measure_id', 'assessments');

ALTER TABLE roundbook.matrix ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: plan in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.plan DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('version', 'name');

ALTER TABLE roundbook.plan ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: published_variance in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.published_variance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('revision', 'round_id', 'measure_id', 'assessments', 'scale');

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: round in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.round DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('ordinal', 'task_id');

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: withdrawal in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.withdrawal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('number', 'matrix_id');

ALTER TABLE roundbook.withdrawal ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: event noted; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER noted AFTER INSERT ON roundbook.event FOR EACH ROW EXECUTE FUNCTION roundbook.note_event();

ALTER TABLE roundbook.event ENABLE ALWAYS TRIGGER noted;


--
-- Name: matrix published; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER published BEFORE INSERT ON roundbook.matrix FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_without_reason();

ALTER TABLE roundbook.matrix ENABLE ALWAYS TRIGGER published;


--
-- Name: published_variance published; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER published BEFORE INSERT ON roundbook.published_variance FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_without_reason();

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER published;


--
-- Name: round published; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER published BEFORE UPDATE ON roundbook.round FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_unpublishing();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER published;


--
-- Name: drift_report told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT ON roundbook.drift_report DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.drift_report ENABLE ALWAYS TRIGGER told;


--
-- Name: factor_set told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT ON roundbook.factor_set DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.factor_set ENABLE ALWAYS TRIGGER told;


--
-- Name: plan told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT ON roundbook.plan DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.plan ENABLE ALWAYS TRIGGER told;


--
-- Name: published_variance told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT ON roundbook.published_variance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER told;


--
-- Name: round told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT OR UPDATE ON roundbook.round DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER told;


--
-- Name: run told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER UPDATE ON roundbook.run DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.run ENABLE ALWAYS TRIGGER told;


--
-- Name: task told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT OR UPDATE ON roundbook.task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.task ENABLE ALWAYS TRIGGER told;


--
-- Name: withdrawal told; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER told AFTER INSERT ON roundbook.withdrawal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_untold();

ALTER TABLE roundbook.withdrawal ENABLE ALWAYS TRIGGER told;


--
-- Name: factor_set whole; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON roundbook.factor_set DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_half_a_factor_set();

ALTER TABLE roundbook.factor_set ENABLE ALWAYS TRIGGER whole;


--
-- Name: factor_set_run whole; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER whole AFTER INSERT ON roundbook.factor_set_run REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_some_runs();

ALTER TABLE roundbook.factor_set_run ENABLE ALWAYS TRIGGER whole;


--
-- Name: matrix whole; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON roundbook.matrix DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_half_a_matrix();

ALTER TABLE roundbook.matrix ENABLE ALWAYS TRIGGER whole;


--
-- Name: drift_report drift_report_from_factor_set_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.drift_report
    ADD CONSTRAINT drift_report_from_factor_set_id_fk FOREIGN KEY (from_factor_set_id) REFERENCES roundbook.factor_set(id);


--
-- Name: drift_report drift_report_measure_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.drift_report
    ADD CONSTRAINT drift_report_measure_id_fk FOREIGN KEY (measure_id) REFERENCES roundbook.measure(id);


--
-- Name: drift_report drift_report_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.drift_report
    ADD CONSTRAINT drift_report_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: drift_report drift_report_to_factor_set_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.drift_report
    ADD CONSTRAINT drift_report_to_factor_set_id_fk FOREIGN KEY (to_factor_set_id) REFERENCES roundbook.factor_set(id);


--
-- Name: event event_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.event
    ADD CONSTRAINT event_matrix_id_fk FOREIGN KEY (matrix_id) REFERENCES roundbook.matrix(id);


--
-- Name: event event_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.event
    ADD CONSTRAINT event_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


--
-- Name: event event_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.event
    ADD CONSTRAINT event_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: factor factor_factor_set_id_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor
    ADD CONSTRAINT factor_factor_set_id_matrix_id_fk FOREIGN KEY (factor_set_id, matrix_id) REFERENCES roundbook.factor_set(id, matrix_id);


--
-- Name: factor factor_matrix_id_topic_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor
    ADD CONSTRAINT factor_matrix_id_topic_id_fk FOREIGN KEY (matrix_id, topic_id) REFERENCES roundbook.matrix_topic(matrix_id, topic_id);


--
-- Name: factor_set factor_set_matrix_id_round_id_measure_id_assessments_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set
    ADD CONSTRAINT factor_set_matrix_id_round_id_measure_id_assessments_fk FOREIGN KEY (matrix_id, round_id, measure_id, assessments) REFERENCES roundbook.matrix(id, round_id, measure_id, assessments);


--
-- Name: factor_set_run factor_set_run_factor_set_id_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set_run
    ADD CONSTRAINT factor_set_run_factor_set_id_matrix_id_fk FOREIGN KEY (factor_set_id, matrix_id) REFERENCES roundbook.factor_set(id, matrix_id);


--
-- Name: factor_set_run factor_set_run_matrix_id_run_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.factor_set_run
    ADD CONSTRAINT factor_set_run_matrix_id_run_id_fk FOREIGN KEY (matrix_id, run_id) REFERENCES roundbook.score_vector(matrix_id, run_id);


--
-- Name: matrix matrix_measure_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_measure_id_fk FOREIGN KEY (measure_id) REFERENCES roundbook.measure(id);


--
-- Name: matrix matrix_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


--
-- Name: matrix_topic matrix_topic_matrix_id_topics_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_topic
    ADD CONSTRAINT matrix_topic_matrix_id_topics_fk FOREIGN KEY (matrix_id, topics) REFERENCES roundbook.matrix(id, topics);


--
-- Name: matrix_topic matrix_topic_topic_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_topic
    ADD CONSTRAINT matrix_topic_topic_id_fk FOREIGN KEY (topic_id) REFERENCES roundbook.topic(id);


--
-- Name: plan_estimate plan_estimate_plan_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan_estimate
    ADD CONSTRAINT plan_estimate_plan_id_fk FOREIGN KEY (plan_id) REFERENCES roundbook.plan(id);


--
-- Name: plan_estimate plan_estimate_published_variance_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan_estimate
    ADD CONSTRAINT plan_estimate_published_variance_id_fk FOREIGN KEY (published_variance_id) REFERENCES roundbook.published_variance(id);


--
-- Name: plan_estimate plan_estimate_variance_estimate_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan_estimate
    ADD CONSTRAINT plan_estimate_variance_estimate_id_fk FOREIGN KEY (variance_estimate_id) REFERENCES roundbook.variance_estimate(id);


--
-- Name: plan plan_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.plan
    ADD CONSTRAINT plan_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: published_variance published_variance_measure_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.published_variance
    ADD CONSTRAINT published_variance_measure_id_fk FOREIGN KEY (measure_id) REFERENCES roundbook.measure(id);


--
-- Name: published_variance published_variance_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.published_variance
    ADD CONSTRAINT published_variance_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


--
-- Name: round round_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.round
    ADD CONSTRAINT round_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: run run_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run
    ADD CONSTRAINT run_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


--
-- Name: run run_team_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run
    ADD CONSTRAINT run_team_id_fk FOREIGN KEY (team_id) REFERENCES roundbook.team(id);


--
-- Name: score_vector score_vector_matrix_id_topics_runs_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.score_vector
    ADD CONSTRAINT score_vector_matrix_id_topics_runs_fk FOREIGN KEY (matrix_id, topics, runs) REFERENCES roundbook.matrix(id, topics, runs);


--
-- Name: score_vector score_vector_run_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.score_vector
    ADD CONSTRAINT score_vector_run_id_fk FOREIGN KEY (run_id) REFERENCES roundbook.run(id);


--
-- Name: topic topic_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic
    ADD CONSTRAINT topic_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: variance_estimate variance_estimate_factor_set_id_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.variance_estimate
    ADD CONSTRAINT variance_estimate_factor_set_id_matrix_id_fk FOREIGN KEY (factor_set_id, matrix_id) REFERENCES roundbook.factor_set(id, matrix_id);


--
-- Name: variance_estimate variance_estimate_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.variance_estimate
    ADD CONSTRAINT variance_estimate_matrix_id_fk FOREIGN KEY (matrix_id) REFERENCES roundbook.matrix(id);


--
-- Name: withdrawal withdrawal_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.withdrawal
    ADD CONSTRAINT withdrawal_matrix_id_fk FOREIGN KEY (matrix_id) REFERENCES roundbook.matrix(id);


--
-- PostgreSQL database dump complete
--


