-- Roundbook's schema as of revision 0009, with a record in it.
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
-- Name: let_events_go(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.let_events_go() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'round' THEN
        UPDATE roundbook.event
        SET round_id = NULL, details = jsonb_build_object('round', OLD.label) || details
        WHERE round_id = OLD.id;
    ELSE
        UPDATE roundbook.event
        SET task_id = NULL, details = jsonb_build_object('task', to_jsonb(OLD) -> 'name') || details
        WHERE task_id = OLD.id;
    END IF;
    RETURN OLD;
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
-- Name: refuse_changed_event(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_changed_event() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF pg_trigger_depth() < 2
        OR coalesce(NEW.round_id <> OLD.round_id, NEW.round_id IS NOT NULL)
        OR coalesce(NEW.task_id <> OLD.task_id, NEW.task_id IS NOT NULL)
        OR NOT NEW.details @> OLD.details
    THEN
        RAISE EXCEPTION 'UPDATE of roundbook.event is refused: what is logged stays as it is'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
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
-- Name: refuse_gap_in_names(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_gap_in_names() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    gap bigint;
BEGIN
    SELECT min(added.first) INTO gap
    FROM added
    WHERE added.first > 0 AND NOT EXISTS (
        SELECT FROM roundbook.document_names AS before
        WHERE before.round_id = added.round_id
          AND before.first = (
              SELECT max(earlier.first) FROM roundbook.document_names AS earlier
              WHERE earlier.round_id = added.round_id AND earlier.first < added.first
          )
          AND before.first + cardinality(before.names) = added.first
    );
    IF gap IS NOT NULL THEN
        RAISE EXCEPTION 'the names of documents from number % on do not follow the ones before', gap
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;


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
    runs bigint;
    topics bigint;
BEGIN
    SELECT count(*) INTO vectors FROM roundbook.score_vector WHERE matrix_id = NEW.id;
    SELECT count(*) INTO runs FROM roundbook.matrix_run WHERE matrix_id = NEW.id;
    SELECT count(*) INTO topics FROM roundbook.matrix_topic WHERE matrix_id = NEW.id;
    IF vectors <> NEW.runs OR runs <> NEW.runs OR topics <> NEW.topics THEN
        RAISE EXCEPTION 'matrix % says % topics and % runs but has % and %',
            NEW.id, NEW.topics, NEW.runs, topics, least(vectors, runs)
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
-- Name: refuse_half_an_upload(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_half_an_upload() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    listed record;
    named bigint;
BEGIN
    SELECT count(*) AS runs, coalesce(sum(topics), 0) AS lists,
           coalesce(sum(documents), 0) AS documents
    INTO listed FROM roundbook.uploaded_run WHERE run_upload_id = NEW.id;
    SELECT coalesce(max(first + cardinality(names)), 0) INTO named
    FROM roundbook.document_names WHERE round_id = NEW.round_id;
    IF listed.runs <> NEW.runs OR named < NEW.documents THEN
        RAISE EXCEPTION 'upload % says % runs and % documents but has % and %',
            NEW.id, NEW.runs, NEW.documents, listed.runs, named
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (listed.lists, listed.documents) IS DISTINCT FROM (
        SELECT (count(*), coalesce(sum(cardinality(documents)), 0))
        FROM roundbook.run_list WHERE run_upload_id = NEW.id
    ) THEN
        RAISE EXCEPTION 'upload % has not all lists of its runs', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF EXISTS (
        SELECT FROM roundbook.uploaded_run JOIN roundbook.run ON run.id = run_id
        WHERE run_upload_id = NEW.id AND run.round_id <> NEW.round_id
    ) OR EXISTS (
        SELECT FROM roundbook.run_list
        JOIN roundbook.topic ON topic.id = topic_id
        JOIN roundbook.round ON round.id = NEW.round_id
        WHERE run_upload_id = NEW.id AND topic.task_id <> round.task_id
    ) THEN
        RAISE EXCEPTION 'upload % has a run or topic of another round or task', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_half_the_qrels(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_half_the_qrels() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    listed record;
    named bigint;
BEGIN
    SELECT count(*) AS topics, coalesce(sum(cardinality(documents)), 0) AS judged,
           coalesce(sum((SELECT count(*) FROM unnest(grades) AS grade WHERE grade > 0)), 0)
               AS relevant,
           max((SELECT max(document) FROM unnest(documents) AS document)) AS last,
           count(*) FILTER (WHERE topic.task_id IS DISTINCT FROM round.task_id) AS others
    INTO listed
    FROM roundbook.judgment_list
    LEFT JOIN roundbook.topic ON topic.id = topic_id
    LEFT JOIN roundbook.round ON round.id = NEW.round_id
    WHERE qrels_id = NEW.id;
    SELECT coalesce(max(first + cardinality(names)), 0) INTO named
    FROM roundbook.document_names WHERE round_id = NEW.round_id;
    IF (listed.topics, listed.judged, listed.relevant)
        IS DISTINCT FROM (NEW.topics::bigint, NEW.judged::bigint, NEW.relevant::numeric)
    THEN
        RAISE EXCEPTION 'qrels % say % topics, % judged and % relevant but have %, % and %',
            NEW.id, NEW.topics, NEW.judged, NEW.relevant,
            listed.topics, listed.judged, listed.relevant
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF listed.last >= named OR listed.others > 0 THEN
        RAISE EXCEPTION 'qrels % judge a document without a name, or a topic of another task',
            NEW.id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_late_judgments(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_late_judgments() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(id) INTO late
    FROM roundbook.qrels
    WHERE id IN (SELECT qrels_id FROM added)
      AND topics < (SELECT count(*) FROM roundbook.judgment_list WHERE qrels_id = qrels.id);
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'qrels % have their judgments and take no further ones', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_late_list(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_late_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(listed.run_id) INTO late
    FROM (
        SELECT run_upload_id, run_id, count(*) AS lists, sum(cardinality(documents)) AS documents
        FROM roundbook.run_list
        WHERE (run_upload_id, run_id) IN (SELECT run_upload_id, run_id FROM added)
        GROUP BY run_upload_id, run_id
    ) AS listed
    JOIN roundbook.uploaded_run USING (run_upload_id, run_id)
    WHERE listed.lists > uploaded_run.topics OR listed.documents > uploaded_run.documents;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'run % has its lists and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_late_run(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_late_run() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(id) INTO late
    FROM roundbook.run_upload
    WHERE id IN (SELECT run_upload_id FROM added)
      AND runs < (SELECT count(*) FROM roundbook.uploaded_run WHERE run_upload_id = run_upload.id);
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'upload % has its runs and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_other_estimate(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_other_estimate() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    other bigint;
BEGIN
    SELECT max(part.matrix_id) INTO other
    FROM added AS part
    LEFT JOIN roundbook.variance_estimate AS before
        ON before.matrix_id = part.matrix_id AND before.scale = part.scale
        AND before.factor_set_id IS NOT DISTINCT FROM part.factor_set_id
        AND before.version = part.version - 1
    WHERE part.version > 1 AND (
        before.id IS NULL
        OR (part.topics, part.runs, part.sum_of_squares, part.dof, part.variance,
            part.two_way_sum_of_squares, part.two_way_dof,
            part.topic_ids, part.topic_squares, part.two_way_topic_squares)
        IS DISTINCT FROM
           (before.topics, before.runs, before.sum_of_squares, before.dof, before.variance,
            before.two_way_sum_of_squares, before.two_way_dof,
            before.topic_ids, before.topic_squares, before.two_way_topic_squares)
    );
    IF other IS NOT NULL THEN
        RAISE EXCEPTION
            'a further estimate of matrix % differs from the one before in more than its teams',
            other USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_other_measure(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_other_measure() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'measure' THEN
        IF NEW.spellings @> OLD.spellings THEN
            RETURN NEW;
        END IF;
    ELSIF NEW.measure_id = OLD.measure_id OR EXISTS (
        SELECT FROM roundbook.measure AS merged, roundbook.measure AS kept
        WHERE merged.id = OLD.measure_id AND kept.id = NEW.measure_id
        AND merged.name = ANY (kept.spellings)
    ) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'UPDATE of roundbook.% is refused: measures are merged, and never parted',
        TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;


--
-- Name: refuse_removing_scores(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_removing_scores() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'round' AND (
        EXISTS (SELECT FROM roundbook.matrix WHERE round_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.run WHERE round_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.qrels WHERE round_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.document_names WHERE round_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.published_variance WHERE round_id = OLD.id)
    ) OR TG_TABLE_NAME = 'task' AND (
        EXISTS (SELECT FROM roundbook.round WHERE task_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.topic WHERE task_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.result WHERE task_id = OLD.id)
    ) OR TG_TABLE_NAME = 'measure' AND (
        EXISTS (SELECT FROM roundbook.matrix WHERE measure_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.factor_set WHERE measure_id = OLD.id)
        OR EXISTS (SELECT FROM roundbook.published_variance WHERE measure_id = OLD.id)
    ) THEN
        RAISE EXCEPTION 'DELETE of roundbook.% is refused: what holds scores or results stays',
            TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;


--
-- Name: refuse_renaming_round(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_renaming_round() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF NEW.label <> OLD.label AND OLD.status = 'published' THEN
        RAISE EXCEPTION 'round % is published and keeps its label', OLD.label
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.ordinal <> OLD.ordinal AND (NEW.ordinal <> OLD.ordinal - 1 OR NEW.ordinal < 1) THEN
        RAISE EXCEPTION 'round % may only move up to where a round was removed', OLD.label
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: refuse_renaming_task(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_renaming_task() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF NEW.name <> OLD.name AND EXISTS (
        SELECT FROM roundbook.round WHERE task_id = OLD.id AND status = 'published'
    ) THEN
        RAISE EXCEPTION 'task % has a published round and keeps its name', OLD.name
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


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
-- Name: refuse_topic_twice(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_topic_twice() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    twice bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM roundbook.topic_alias) THEN
        RETURN NULL;
    END IF;
    SELECT max(matrix_id) INTO twice FROM (
        SELECT added.matrix_id
        FROM added
        JOIN roundbook.topic ON topic.id = added.topic_id
        LEFT JOIN roundbook.topic_alias AS alias
            ON alias.task_id = topic.task_id AND alias.name = topic.name
        GROUP BY added.matrix_id, coalesce(alias.topic_id, topic.id)
        HAVING count(*) > 1
    ) AS doubled;
    IF twice IS NOT NULL THEN
        RAISE EXCEPTION 'matrix % has a topic twice, under two of its ids', twice
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: refuse_unclear_alias(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.refuse_unclear_alias() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    own text;
BEGIN
    SELECT name INTO own FROM roundbook.topic WHERE id = NEW.topic_id;
    IF own = NEW.name
        OR EXISTS (
            SELECT FROM roundbook.topic_alias WHERE task_id = NEW.task_id AND name = own
        )
        OR EXISTS (
            SELECT FROM roundbook.topic_alias AS other
            JOIN roundbook.topic ON topic.id = other.topic_id
            WHERE other.task_id = NEW.task_id AND topic.name = NEW.name
        )
    THEN
        RAISE EXCEPTION 'topic % cannot be the other id of topic %', NEW.name, own
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF EXISTS (
        SELECT FROM roundbook.topic
        JOIN roundbook.matrix_topic AS part ON part.topic_id = topic.id
        JOIN roundbook.matrix_topic AS other ON other.matrix_id = part.matrix_id
        WHERE topic.task_id = NEW.task_id AND topic.name = NEW.name
        AND (
            other.topic_id = NEW.topic_id
            OR other.topic_id IN (
                SELECT same.id FROM roundbook.topic_alias AS alias
                JOIN roundbook.topic AS same
                    ON same.task_id = alias.task_id AND same.name = alias.name
                WHERE alias.topic_id = NEW.topic_id AND alias.name <> NEW.name
            )
        )
    ) THEN
        RAISE EXCEPTION 'topics % and % are two topics of one score matrix', NEW.name, own
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
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


--
-- Name: set_database_user(); Type: FUNCTION; Schema: roundbook; Owner: -
--

CREATE FUNCTION roundbook.set_database_user() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF NOT (SELECT pg_has_role(session_user, relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID)
    THEN
        NEW.database_user := session_user;
    END IF;
    RETURN NEW;
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: access_token; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.access_token (
    id bigint NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    scope text NOT NULL,
    task_id bigint,
    expires_at timestamp with time zone,
    software text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT access_token_created_at CHECK (((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT access_token_expires_at CHECK ((expires_at > created_at)),
    CONSTRAINT access_token_hash CHECK ((octet_length(hash) = 32)),
    CONSTRAINT access_token_named CHECK ((name <> ''::text)),
    CONSTRAINT access_token_scope CHECK ((scope = ANY (ARRAY['read'::text, 'log'::text, 'admin'::text])))
);


--
-- Name: access_token_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.access_token ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.access_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


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
-- Name: document_names; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.document_names (
    round_id bigint NOT NULL,
    first integer NOT NULL,
    names text[] NOT NULL,
    content_hash text NOT NULL,
    CONSTRAINT document_names_first CHECK ((first >= 0)),
    CONSTRAINT document_names_names CHECK (((array_ndims(names) = 1) AND (array_position(names, NULL::text) IS NULL)))
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
    database_user text DEFAULT SESSION_USER,
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
-- Name: judgment_list; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.judgment_list (
    qrels_id bigint NOT NULL,
    topic_id bigint NOT NULL,
    documents integer[] NOT NULL,
    grades integer[] NOT NULL,
    CONSTRAINT judgment_list_documents CHECK (((0 <= ALL (documents)) IS TRUE)),
    CONSTRAINT judgment_list_grades CHECK ((array_position(grades, NULL::integer) IS NULL)),
    CONSTRAINT judgment_list_length CHECK (((array_ndims(documents) = 1) AND (array_ndims(grades) = 1) AND (cardinality(grades) = cardinality(documents))))
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
-- Name: matrix_run; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.matrix_run (
    matrix_id bigint NOT NULL,
    "position" integer NOT NULL,
    run_id bigint NOT NULL,
    runs integer NOT NULL,
    CONSTRAINT matrix_run_position CHECK ((("position" >= 0) AND ("position" < runs)))
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
    spellings text[] DEFAULT '{}'::text[] NOT NULL,
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
    teams integer,
    CONSTRAINT published_variance_recorded_at CHECK (((recorded_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (recorded_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT published_variance_revised_for_a_reason CHECK (((revision = 1) OR (COALESCE(reason, ''::text) <> ''::text))),
    CONSTRAINT published_variance_scale CHECK ((scale = ANY (ARRAY['raw'::text, 'std'::text, 'std-cdf'::text, 'std-ab'::text]))),
    CONSTRAINT published_variance_size CHECK (((topics >= 2) AND (runs >= 1))),
    CONSTRAINT published_variance_source CHECK ((source <> ''::text)),
    CONSTRAINT published_variance_teams CHECK (((teams >= 1) AND (teams <= runs))),
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
-- Name: qrels; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.qrels (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    assessments text NOT NULL,
    revision integer NOT NULL,
    reason text,
    topics integer NOT NULL,
    judged integer NOT NULL,
    relevant integer NOT NULL,
    content_hash text NOT NULL,
    files text[] NOT NULL,
    file_sizes bigint[] NOT NULL,
    file_hashes text[] NOT NULL,
    software text NOT NULL,
    logged_at timestamp with time zone DEFAULT now() NOT NULL,
    logged_by text NOT NULL,
    CONSTRAINT qrels_files CHECK (((cardinality(files) >= 1) AND (cardinality(file_sizes) = cardinality(files)) AND (cardinality(file_hashes) = cardinality(files)))),
    CONSTRAINT qrels_logged_at CHECK (((logged_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (logged_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT qrels_relevant CHECK (((relevant >= 0) AND (relevant <= judged))),
    CONSTRAINT qrels_revised_for_a_reason CHECK (((revision = 1) OR (COALESCE(reason, ''::text) <> ''::text))),
    CONSTRAINT qrels_size CHECK (((topics >= 1) AND (judged >= topics)))
);


--
-- Name: qrels_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.qrels ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.qrels_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: result; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.result (
    id bigint NOT NULL,
    task_id bigint,
    kind text NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    request jsonb NOT NULL,
    result jsonb NOT NULL,
    note text,
    software text NOT NULL,
    saved_at timestamp with time zone DEFAULT now() NOT NULL,
    saved_by text NOT NULL,
    CONSTRAINT result_named CHECK (((kind <> ''::text) AND (name <> ''::text))),
    CONSTRAINT result_request CHECK ((jsonb_typeof(request) = 'object'::text)),
    CONSTRAINT result_result CHECK ((jsonb_typeof(result) = 'object'::text)),
    CONSTRAINT result_saved_at CHECK (((saved_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (saved_at <= '9999-12-30 00:00:00+00'::timestamp with time zone)))
);


--
-- Name: result_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.result ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.result_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: result_input; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.result_input (
    result_id bigint NOT NULL,
    "position" integer NOT NULL,
    variance_estimate_id bigint,
    published_variance_id bigint,
    factor_set_id bigint,
    matrix_id bigint,
    known jsonb DEFAULT '{}'::jsonb NOT NULL,
    run_upload_id bigint,
    qrels_id bigint,
    CONSTRAINT result_input_known CHECK ((jsonb_typeof(known) = 'object'::text)),
    CONSTRAINT result_input_one_origin CHECK ((num_nonnulls(variance_estimate_id, published_variance_id, factor_set_id, matrix_id, run_upload_id, qrels_id) = 1))
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
-- Name: run_list; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.run_list (
    run_upload_id bigint NOT NULL,
    run_id bigint NOT NULL,
    topic_id bigint NOT NULL,
    documents integer[] NOT NULL,
    scores real[] NOT NULL,
    CONSTRAINT run_list_documents CHECK (((0 <= ALL (documents)) IS TRUE)),
    CONSTRAINT run_list_finite CHECK (((('-Infinity'::real < ALL (scores)) AND ('Infinity'::real > ALL (scores))) IS TRUE)),
    CONSTRAINT run_list_length CHECK (((array_ndims(documents) = 1) AND (array_ndims(scores) = 1) AND ((cardinality(documents) >= 1) AND (cardinality(documents) <= 1000)) AND (cardinality(scores) = cardinality(documents))))
);
ALTER TABLE ONLY roundbook.run_list ALTER COLUMN documents SET STORAGE EXTERNAL;
ALTER TABLE ONLY roundbook.run_list ALTER COLUMN scores SET STORAGE EXTERNAL;


--
-- Name: run_upload; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.run_upload (
    id bigint NOT NULL,
    round_id bigint NOT NULL,
    number integer NOT NULL,
    runs integer NOT NULL,
    documents integer NOT NULL,
    beyond_depth bigint NOT NULL,
    files text[] NOT NULL,
    file_sizes bigint[] NOT NULL,
    file_hashes text[] NOT NULL,
    software text NOT NULL,
    logged_at timestamp with time zone DEFAULT now() NOT NULL,
    logged_by text NOT NULL,
    CONSTRAINT run_upload_files CHECK (((cardinality(files) >= 1) AND (cardinality(file_sizes) = cardinality(files)) AND (cardinality(file_hashes) = cardinality(files)))),
    CONSTRAINT run_upload_logged_at CHECK (((logged_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (logged_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT run_upload_number CHECK ((number >= 1)),
    CONSTRAINT run_upload_size CHECK (((runs >= 1) AND (documents >= 1) AND (beyond_depth >= 0)))
);


--
-- Name: run_upload_id_seq; Type: SEQUENCE; Schema: roundbook; Owner: -
--

ALTER TABLE roundbook.run_upload ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME roundbook.run_upload_id_seq
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
   FROM (((((roundbook.score_vector vector
     JOIN roundbook.matrix_run ON (((matrix_run.matrix_id = vector.matrix_id) AND (matrix_run."position" = vector."position"))))
     JOIN roundbook.run ON ((run.id = matrix_run.run_id)))
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
-- Name: token_revocation; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.token_revocation (
    access_token_id bigint NOT NULL,
    software text NOT NULL,
    revoked_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_by text NOT NULL,
    CONSTRAINT token_revocation_revoked_at CHECK (((revoked_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (revoked_at <= '9999-12-30 00:00:00+00'::timestamp with time zone)))
);


--
-- Name: topic_alias; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.topic_alias (
    task_id bigint NOT NULL,
    name text NOT NULL,
    topic_id bigint NOT NULL,
    software text NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    recorded_by text NOT NULL,
    CONSTRAINT topic_alias_named CHECK ((name <> ''::text)),
    CONSTRAINT topic_alias_recorded_at CHECK (((recorded_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (recorded_at <= '9999-12-30 00:00:00+00'::timestamp with time zone)))
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
-- Name: uploaded_run; Type: TABLE; Schema: roundbook; Owner: -
--

CREATE TABLE roundbook.uploaded_run (
    run_upload_id bigint NOT NULL,
    run_id bigint NOT NULL,
    topics integer NOT NULL,
    documents integer NOT NULL,
    content_hash text NOT NULL,
    CONSTRAINT uploaded_run_size CHECK (((topics >= 1) AND (documents >= topics)))
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
    version integer NOT NULL,
    clusters integer NOT NULL,
    runs_part double precision,
    two_way_runs_part double precision,
    topic_ids bigint[] NOT NULL,
    topic_squares double precision[] NOT NULL,
    two_way_topic_squares double precision[],
    CONSTRAINT variance_estimate_clusters CHECK (((clusters >= 1) AND (clusters <= runs))),
    CONSTRAINT variance_estimate_estimate CHECK (((dof > 0) AND (variance >= (0)::double precision) AND (variance < 'Infinity'::double precision))),
    CONSTRAINT variance_estimate_estimated_at CHECK (((estimated_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (estimated_at <= '9999-12-30 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT variance_estimate_level CHECK (((level > (0)::double precision) AND (level < (1)::double precision))),
    CONSTRAINT variance_estimate_limits CHECK ((((0)::double precision <= ALL (ARRAY[chi_square_low, chi_square_high, bootstrap_low, bootstrap_high])) AND ('Infinity'::double precision > ALL (ARRAY[chi_square_low, chi_square_high, bootstrap_low, bootstrap_high])))),
    CONSTRAINT variance_estimate_runs_parts CHECK ((((0)::double precision <= ALL (ARRAY[runs_part, two_way_runs_part])) AND ('Infinity'::double precision > ALL (ARRAY[runs_part, two_way_runs_part])))),
    CONSTRAINT variance_estimate_scale CHECK ((scale = ANY (ARRAY['raw'::text, 'std'::text, 'std-cdf'::text, 'std-ab'::text]))),
    CONSTRAINT variance_estimate_squares CHECK ((((0)::double precision <= ALL (ARRAY[sum_of_squares, two_way_sum_of_squares])) AND ('Infinity'::double precision > ALL (ARRAY[sum_of_squares, two_way_sum_of_squares])))),
    CONSTRAINT variance_estimate_standardised_by_factors CHECK (((scale = 'raw'::text) = (factor_set_id IS NULL))),
    CONSTRAINT variance_estimate_topic_ids CHECK (((array_position(topic_ids, NULL::bigint) IS NULL) AND (cardinality(topic_ids) = topics))),
    CONSTRAINT variance_estimate_topic_squares CHECK (((array_position(topic_squares, NULL::double precision) IS NULL) AND ((0)::double precision <= ALL (topic_squares)) AND ('Infinity'::double precision > ALL (topic_squares)) AND (cardinality(topic_squares) = topics))),
    CONSTRAINT variance_estimate_two_way_topic_squares CHECK (((array_position(two_way_topic_squares, NULL::double precision) IS NULL) AND ((0)::double precision <= ALL (two_way_topic_squares)) AND ('Infinity'::double precision > ALL (two_way_topic_squares)) AND (cardinality(two_way_topic_squares) = topics))),
    CONSTRAINT variance_estimate_version CHECK ((version >= 1))
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
-- Data for Name: access_token; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.access_token OVERRIDING SYSTEM VALUE VALUES
	(1, 'nightly bake-off', '\xa4ceddf78dca6baa486014b2e26ffc0f054af4aa43572c8b3dc8eef4e72832f1', 'log', 2, NULL, 'roundbook 0.1.0', '2026-11-23 21:43:16.094661+00', 'simulated');


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.alembic_version VALUES
	('0009');


--
-- Data for Name: document_names; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.document_names VALUES
	(3, 0, '{doc10,doc12,doc24,doc16,doc4,doc0,doc25,doc29,doc8,doc5,doc19,doc23,doc6,doc2,doc7,doc3,doc27,doc26,doc20,doc17,doc9,doc1,doc18,doc28,doc21,doc22,doc13,doc15,doc11,doc14}', 'b66ccc369b396d0d954e19340c7df0478916e5ff0f27cf30109c096bc251b72e'),
	(3, 30, '{doc30,doc31,doc32,doc33}', 'b9a47385b960648d7a0e680d4f9ed093791aa47d7fb3493345ac137d26628081');


--
-- Data for Name: event; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.event OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-23 21:43:15.228445+00', 'simulated', 'task created', 1, NULL, NULL, NULL, '{"task": "web"}', 'roundbook 0.1.0', 'organiser'),
	(2, '2026-11-23 21:43:15.248703+00', 'simulated', 'round created', 1, 1, NULL, NULL, '{"held": "2023-11-14", "round": "2023"}', 'roundbook 0.1.0', 'organiser'),
	(3, '2026-11-23 21:43:15.314246+00', 'simulated', 'matrix logged', 1, 1, 1, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(4, '2026-11-23 21:43:15.379727+00', 'simulated', 'matrix revised', 1, 1, 2, 'A topic was judged twice', '{"runs": 8, "topics": 11, "measure": "nDCG@10", "revision": 2, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(5, '2026-11-23 21:43:15.458737+00', 'simulated', 'matrix logged', 1, 1, 3, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(6, '2026-11-23 21:43:15.479854+00', 'simulated', 'round created', 1, 2, NULL, NULL, '{"round": "2024"}', 'roundbook 0.1.0', 'organiser'),
	(7, '2026-11-23 21:43:15.52573+00', 'simulated', 'matrix logged', 1, 2, 4, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(8, '2026-11-23 21:43:15.582921+00', 'simulated', 'matrix logged', 1, 2, 5, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "bronze"}', 'roundbook 0.1.0', 'organiser'),
	(9, '2026-11-23 21:43:15.622983+00', 'simulated', 'matrix logged', 1, 2, 6, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(10, '2026-11-23 21:43:15.660796+00', 'simulated', 'matrix logged', 1, 2, 7, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "bronze"}', 'roundbook 0.1.0', 'organiser'),
	(11, '2026-11-23 21:43:15.793124+00', 'simulated', 'plan saved', 1, NULL, NULL, 'Before the third round', '{"plan": "next web", "measure": "nDCG@10", "version": 1}', 'roundbook 0.1.0', 'organiser'),
	(12, '2026-11-23 21:43:15.811607+00', 'simulated', 'round created', 1, 3, NULL, NULL, '{"round": "2025"}', 'roundbook 0.1.0', 'organiser'),
	(13, '2026-11-23 21:43:15.866846+00', 'simulated', 'matrix logged', 1, 3, 8, NULL, '{"runs": 8, "topics": 12, "measure": "nDCG@10", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(14, '2026-11-23 21:43:15.911536+00', 'simulated', 'matrix logged', 1, 3, 9, NULL, '{"runs": 8, "topics": 12, "measure": "P@5", "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(15, '2026-11-23 21:43:15.933362+00', 'simulated', 'factors fitted', 1, 1, 2, 'Baselines only', '{"runs": 4, "measure": "nDCG@10", "version": 3, "assessments": "official", "standardising": "chosen"}', 'roundbook 0.1.0', 'organiser'),
	(16, '2026-11-23 21:43:15.970034+00', 'simulated', 'round changed', 1, 2, NULL, NULL, '{"held": {"is": "2024-11-12", "was": null}, "collection": {"is": "crawl 2", "was": null}}', 'roundbook 0.1.0', 'organiser'),
	(17, '2026-11-23 21:43:15.992116+00', 'simulated', 'round changed', 1, 3, NULL, NULL, '{"collection": {"is": "crawl 2", "was": null}}', 'roundbook 0.1.0', 'organiser'),
	(18, '2026-11-23 21:43:16.040985+00', 'simulated', 'plan saved', 1, NULL, NULL, NULL, '{"plan": "next web", "measure": "nDCG@10", "version": 2}', 'roundbook 0.1.0', 'organiser'),
	(19, '2026-11-23 21:43:16.064347+00', 'simulated', 'plan saved', NULL, NULL, NULL, NULL, '{"plan": "a guess", "version": 1}', 'roundbook 0.1.0', 'organiser'),
	(20, '2026-11-23 21:43:16.079851+00', 'simulated', 'task created', 2, NULL, NULL, NULL, '{"task": "speech"}', 'roundbook 0.1.0', 'organiser'),
	(21, '2026-11-23 21:43:16.100003+00', 'simulated', 'token created', 2, NULL, NULL, NULL, '{"scope": "log", "token": "nightly bake-off"}', 'roundbook 0.1.0', 'organiser'),
	(22, '2026-11-23 21:43:16.114603+00', 'simulated', 'token revoked', 2, NULL, NULL, NULL, '{"token": "nightly bake-off"}', 'roundbook 0.1.0', 'organiser'),
	(23, '2026-11-23 21:43:16.127097+00', 'simulated', 'round created', 2, 4, NULL, NULL, '{"round": "I"}', 'roundbook 0.1.0', 'organiser'),
	(24, '2026-11-23 21:43:16.145699+00', 'simulated', 'variance recorded', 2, 4, NULL, NULL, '{"scale": "raw", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 1, "variance": 0.061, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(25, '2026-11-23 21:43:16.163312+00', 'simulated', 'round created', 2, 5, NULL, NULL, '{"round": "II"}', 'roundbook 0.1.0', 'organiser'),
	(26, '2026-11-23 21:43:16.175985+00', 'simulated', 'variance recorded', 2, 5, NULL, NULL, '{"scale": "raw", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 1, "variance": 0.052, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(27, '2026-11-23 21:43:16.189611+00', 'simulated', 'variance recorded', 2, 5, NULL, 'A misprint', '{"scale": "raw", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 2, "variance": 0.0525, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(28, '2026-11-23 21:43:16.211663+00', 'simulated', 'variance recorded', 2, 5, NULL, NULL, '{"scale": "std-ab", "source": "An overview that nobody wrote, Table 1", "measure": "nDCG@10", "revision": 1, "variance": 0.0161, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(29, '2026-11-23 21:43:16.486855+00', 'simulated', 'drift report saved', 1, NULL, NULL, 'For the overview paper', '{"to": "2025", "from": "2023", "measure": "nDCG@10", "verdict": "undecided", "version": 1, "drift report": "web/drift-1"}', 'roundbook 0.1.0', 'organiser'),
	(30, '2026-11-23 21:43:16.543641+00', 'simulated', 'matrix logged', 1, 3, 10, NULL, '{"runs": 8, "topics": 8, "measure": "nDCG@10", "revision": 1, "assessments": "crowd"}', 'roundbook 0.1.0', 'organiser'),
	(31, '2026-11-23 21:43:16.575209+00', 'simulated', 'matrix withdrawn', 1, 3, 10, 'The assessors guessed', '{"measure": "nDCG@10", "revision": 1, "assessments": "crowd"}', 'roundbook 0.1.0', 'organiser'),
	(32, '2026-11-23 21:43:16.693902+00', 'simulated', 'matrix logged', 1, 3, 11, NULL, '{"runs": 8, "topics": 8, "measure": "nDCG@10", "revision": 1, "assessments": "second crowd"}', 'roundbook 0.1.0', 'organiser'),
	(33, '2026-11-23 21:43:16.755726+00', 'simulated', 'matrix withdrawn', 1, 3, 11, 'The assessors guessed', '{"measure": "nDCG@10", "revision": 1, "assessments": "second crowd"}', 'roundbook 0.1.0', 'organiser'),
	(34, '2026-11-23 21:43:16.824785+00', 'simulated', 'matrix restored', 1, 3, 11, 'These did not', '{"measure": "nDCG@10", "revision": 1, "assessments": "second crowd"}', 'roundbook 0.1.0', 'organiser'),
	(35, '2026-11-23 21:43:16.905001+00', 'simulated', 'round published', 1, 1, NULL, 'The proceedings are out', '{"matrices": 2, "fingerprint": "3a1f73f85bcc3ac8af979f76899b0541979a5da9f2d0130254a745c1704ea7aa"}', 'roundbook 0.1.0', 'organiser'),
	(36, '2026-11-23 21:43:17.045274+00', 'simulated', 'runs described', 1, 1, 2, NULL, '{"runs": 8, "estimates_renewed": 6}', 'roundbook 0.1.0', 'organiser'),
	(37, '2026-11-23 21:43:17.159091+00', 'simulated', 'runs logged', 1, 3, NULL, NULL, '{"runs": 7, "files": ["first.run"], "lists": 56, "topics": 8, "upload": 1, "documents": 672}', 'roundbook 0.1.0', 'organiser'),
	(38, '2026-11-23 21:43:17.227535+00', 'simulated', 'runs logged', 1, 3, NULL, NULL, '{"runs": 1, "files": ["last.run"], "lists": 8, "topics": 8, "upload": 2, "documents": 96}', 'roundbook 0.1.0', 'organiser'),
	(39, '2026-11-23 21:43:17.26145+00', 'simulated', 'assessments logged', 1, 3, NULL, NULL, '{"file": "official.qrels", "judged": 271, "topics": 8, "relevant": 132, "revision": 1, "assessments": "official"}', 'roundbook 0.1.0', 'organiser'),
	(40, '2026-11-23 21:43:17.297178+00', 'simulated', 'assessments revised', 1, 3, NULL, 'A judgment was lost', '{"file": "official.qrels", "judged": 272, "topics": 8, "relevant": 133, "revision": 2, "assessments": "official"}', 'roundbook 0.1.0', 'organiser');


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
	(1, 1, 1, 1, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.259844+00', 'simulated'),
	(2, 2, 1, 1, 'official', 2, 'all', 8, 'average', 'A topic was judged twice', 'roundbook 0.1.0', '2026-11-23 21:43:15.339455+00', 'simulated'),
	(3, 3, 1, 2, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.421012+00', 'simulated'),
	(4, 4, 2, 1, 'official', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.473465+00', 'simulated'),
	(5, 5, 2, 1, 'bronze', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.541649+00', 'simulated'),
	(6, 6, 2, 2, 'official', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.597724+00', 'simulated'),
	(7, 7, 2, 2, 'bronze', 1, 'pooled', 4, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.633179+00', 'simulated'),
	(8, 8, 3, 1, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.807911+00', 'simulated'),
	(9, 9, 3, 2, 'official', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:15.891606+00', 'simulated'),
	(10, 2, 1, 1, 'official', 3, 'chosen', 4, 'average', 'Baselines only', 'roundbook 0.1.0', '2026-11-23 21:43:15.920061+00', 'simulated'),
	(11, 10, 3, 1, 'crowd', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:16.497193+00', 'simulated'),
	(12, 11, 3, 1, 'second crowd', 1, 'all', 8, 'average', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:16.631686+00', 'simulated');


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
-- Data for Name: judgment_list; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.judgment_list VALUES
	(1, 1, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{1,1,2,0,0,0,2,2,0,0,0,0,0,0,0,2,1,2,0,1,2,1,1,2,2,0,0,0,1,0,2,2,0,0}'),
	(1, 2, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{1,1,1,2,0,0,2,0,0,0,1,0,0,2,0,0,2,0,1,0,0,0,0,1,0,2,1,1,0,0,1,0,2,1}'),
	(1, 3, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{2,2,0,2,0,0,0,1,0,0,1,0,0,2,1,2,0,0,0,2,1,0,0,2,0,0,2,1,0,0,0,0,0,0}'),
	(1, 4, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,1,1,0,0,0,1,2,2,1,1,0,0,0,2,0,2,0,2,0,0,0,1,1,1,1,0,0,1,1,1,0,2,0}'),
	(1, 5, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,2,0,1,0,1,0,0,0,0,0,2,1,0,2,0,2,0,1,0,0,2,1,2,0,2,0,1,2,2,0,2,1,0}'),
	(1, 6, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,1,1,1,0,0,1,0,1,1,1,0,0,0,1,0,0,1,2,0,0,1,2,2,0,0,0,1,2,2,2,0,1,0}'),
	(1, 7, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,1,2,0,1,0,0,0,1,1,2,0,2,0,2,0,0,0,0,1,0,2,0,0,0,2,2,2,0,2,1,1,1,0}'),
	(1, 8, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32}', '{1,2,2,0,0,2,1,2,0,0,0,0,0,0,2,1,1,0,2,0,2,2,0,2,1,0,0,0,1,0,0,0,2}'),
	(2, 1, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{1,1,2,0,0,0,2,2,0,0,0,0,0,0,0,2,1,2,0,1,2,1,1,2,2,0,0,0,1,0,2,2,0,0}'),
	(2, 2, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{1,1,1,2,0,0,2,0,0,0,1,0,0,2,0,0,2,0,1,0,0,0,0,1,0,2,1,1,0,0,1,0,2,1}'),
	(2, 3, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{2,2,0,2,0,0,0,1,0,0,1,0,0,2,1,2,0,0,0,2,1,0,0,2,0,0,2,1,0,0,0,0,0,0}'),
	(2, 4, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,1,1,0,0,0,1,2,2,1,1,0,0,0,2,0,2,0,2,0,0,0,1,1,1,1,0,0,1,1,1,0,2,0}'),
	(2, 5, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,2,0,1,0,1,0,0,0,0,0,2,1,0,2,0,2,0,1,0,0,2,1,2,0,2,0,1,2,2,0,2,1,0}'),
	(2, 6, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,1,1,1,0,0,1,0,1,1,1,0,0,0,1,0,0,1,2,0,0,1,2,2,0,0,0,1,2,2,2,0,1,0}'),
	(2, 7, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{0,1,2,0,1,0,0,0,1,1,2,0,2,0,2,0,0,0,0,1,0,2,0,0,0,2,2,2,0,2,1,1,1,0}'),
	(2, 8, '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33}', '{1,2,2,0,0,2,1,2,0,0,0,0,0,0,2,1,1,0,2,0,2,2,0,2,1,0,0,0,1,0,0,0,2,1}');


--
-- Data for Name: matrix; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.matrix OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 1, 'official', 1, NULL, 12, 8, 'db8ec829a06c4e2cb26083bce0abc5e16713d4d1b5500120da097689c3bfac9d', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.259844+00', 'simulated'),
	(2, 1, 1, 'official', 2, 'A topic was judged twice', 11, 8, '2a9ec3677fa0a7be77ee71ba4f5d1969dc58366cacd560671723757f3c97a442', 'drop-topic', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.339455+00', 'simulated'),
	(3, 1, 2, 'official', 1, NULL, 12, 8, 'db9e4630979f383ceaa052b7e33dc2261f3cf8abed91f6a5b66ec988d8a165d6', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.421012+00', 'simulated'),
	(4, 2, 1, 'official', 1, NULL, 12, 8, '84c2e39418346c46cef14b3db1b12660ded6d264498dc8e1e4344b8abef07d22', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.473465+00', 'simulated'),
	(5, 2, 1, 'bronze', 1, NULL, 12, 8, 'f42798bdd4cd665d219ed3ae0a84fac3369a462ae26e906148ecdfbbeda3ab4b', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.541649+00', 'simulated'),
	(6, 2, 2, 'official', 1, NULL, 12, 8, '71161018a7bf9cdc291dee3a80a9b1b8f905af6bbdd82de18953b804379b72e8', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.597724+00', 'simulated'),
	(7, 2, 2, 'bronze', 1, NULL, 12, 8, 'ab5f525378062977fac95d4707db87a26f43782abab8153b8aa403fe7c72b3ec', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.633179+00', 'simulated'),
	(8, 3, 1, 'official', 1, NULL, 12, 8, '3c6e2c97f5509efa506f6dd31913c1270f9c39e2ef3a4260d5e1d8b20bac4dd9', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.807911+00', 'simulated'),
	(9, 3, 2, 'official', 1, NULL, 12, 8, 'fce6bf11ee22b2d09b9e5694686d1aff42443ccbba1a3616717acf6aaa689ea7', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:15.891606+00', 'simulated'),
	(10, 3, 1, 'crowd', 1, NULL, 8, 8, 'a7b3991267acbb85dd418818cd15a839fc3e0edc53e9c63efa26ba12ac4fc1c1', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:16.497193+00', 'simulated'),
	(11, 3, 1, 'second crowd', 1, NULL, 8, 8, 'a7b3991267acbb85dd418818cd15a839fc3e0edc53e9c63efa26ba12ac4fc1c1', 'reject', 0, '{}', '{"simulated, seed 20260101"}', 'wide', 'simulator 1.0', 'roundbook 0.1.0', '2026-11-23 21:43:16.631686+00', 'simulated');


--
-- Data for Name: matrix_run; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.matrix_run VALUES
	(1, 0, 1, 8),
	(1, 1, 2, 8),
	(1, 2, 3, 8),
	(1, 3, 4, 8),
	(1, 4, 5, 8),
	(1, 5, 6, 8),
	(1, 6, 7, 8),
	(1, 7, 8, 8),
	(2, 0, 1, 8),
	(2, 1, 2, 8),
	(2, 2, 3, 8),
	(2, 3, 4, 8),
	(2, 4, 5, 8),
	(2, 5, 6, 8),
	(2, 6, 7, 8),
	(2, 7, 8, 8),
	(3, 0, 1, 8),
	(3, 1, 2, 8),
	(3, 2, 3, 8),
	(3, 3, 4, 8),
	(3, 4, 5, 8),
	(3, 5, 6, 8),
	(3, 6, 7, 8),
	(3, 7, 8, 8),
	(4, 0, 25, 8),
	(4, 1, 26, 8),
	(4, 2, 27, 8),
	(4, 3, 28, 8),
	(4, 4, 29, 8),
	(4, 5, 30, 8),
	(4, 6, 31, 8),
	(4, 7, 32, 8),
	(5, 0, 25, 8),
	(5, 1, 26, 8),
	(5, 2, 27, 8),
	(5, 3, 28, 8),
	(5, 4, 29, 8),
	(5, 5, 30, 8),
	(5, 6, 31, 8),
	(5, 7, 32, 8),
	(6, 0, 25, 8),
	(6, 1, 26, 8),
	(6, 2, 27, 8),
	(6, 3, 28, 8),
	(6, 4, 29, 8),
	(6, 5, 30, 8),
	(6, 6, 31, 8),
	(6, 7, 32, 8),
	(7, 0, 25, 8),
	(7, 1, 26, 8);
INSERT INTO roundbook.matrix_run VALUES
	(7, 2, 27, 8),
	(7, 3, 28, 8),
	(7, 4, 29, 8),
	(7, 5, 30, 8),
	(7, 6, 31, 8),
	(7, 7, 32, 8),
	(8, 0, 57, 8),
	(8, 1, 58, 8),
	(8, 2, 59, 8),
	(8, 3, 60, 8),
	(8, 4, 61, 8),
	(8, 5, 62, 8),
	(8, 6, 63, 8),
	(8, 7, 64, 8),
	(9, 0, 57, 8),
	(9, 1, 58, 8),
	(9, 2, 59, 8),
	(9, 3, 60, 8),
	(9, 4, 61, 8),
	(9, 5, 62, 8),
	(9, 6, 63, 8),
	(9, 7, 64, 8),
	(10, 0, 57, 8),
	(10, 1, 58, 8),
	(10, 2, 59, 8),
	(10, 3, 60, 8),
	(10, 4, 61, 8),
	(10, 5, 62, 8),
	(10, 6, 63, 8),
	(10, 7, 64, 8),
	(11, 0, 57, 8),
	(11, 1, 58, 8),
	(11, 2, 59, 8),
	(11, 3, 60, 8),
	(11, 4, 61, 8),
	(11, 5, 62, 8),
	(11, 6, 63, 8),
	(11, 7, 64, 8);


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
	(1, 'nDCG@10', 'nDCG', 10, '{}', NULL, NULL, '{}'),
	(2, 'P@5', 'P', 5, '{}', NULL, NULL, '{}');


--
-- Data for Name: published_variance; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.published_variance OVERRIDING SYSTEM VALUE VALUES
	(1, 4, 1, 'official', 'raw', 1, NULL, 50, 20, 0.061, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-23 21:43:16.120159+00', 'simulated', 9),
	(2, 5, 1, 'official', 'raw', 1, NULL, 50, 20, 0.052, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-23 21:43:16.153596+00', 'simulated', NULL),
	(3, 5, 1, 'official', 'raw', 2, 'A misprint', 50, 20, 0.0525, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-23 21:43:16.179824+00', 'simulated', NULL),
	(4, 5, 1, 'official', 'std-ab', 1, NULL, 50, 20, 0.0161, 'An overview that nobody wrote, Table 1', 'roundbook 0.1.0', '2026-11-23 21:43:16.19765+00', 'simulated', NULL);


--
-- Data for Name: qrels; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.qrels OVERRIDING SYSTEM VALUE VALUES
	(1, 3, 'official', 1, NULL, 8, 271, 132, 'b6a2d95c48f832255f56f952a4e447b6d6b5c53efb873d78f56cbc18bebef3df', '{official.qrels}', '{3172}', '{1bd55ae57bf3617950fecb39fac84081ca1755c39e83740a5118d2049ef00bd6}', 'roundbook 0.1.0', '2026-11-23 21:43:17.070701+00', 'simulated'),
	(2, 3, 'official', 2, 'A judgment was lost', 8, 272, 133, '419e54da7cb7f280b4d132dca09b24ebe93d9fd6d8dc7933a62fe6e9fc2ce427', '{official.qrels}', '{3184}', '{710708ab7ed9f7014953b6cdbc5184e0b177a2352bb6d024a0a4c455a54a2947}', 'roundbook 0.1.0', '2026-11-23 21:43:17.070701+00', 'simulated');


--
-- Data for Name: result; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.result OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'plan', 'next web', 1, '{"m": [2, 10], "beta": 0.2, "task": "web", "alpha": 0.05, "min_d": [0.1, 0.2], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "topics": [], "measure": "nDCG@10", "pool_by": "dof", "assessments": ["official"], "variance_at": "pooled"}', '{"m": [2, 10], "beta": 0.2, "alpha": 0.05, "cells": [{"m": 2, "min_d": 0.1, "width": null, "beside": {"tukey": 32.0, "planning": 106.0}, "topics": 76, "variance": 0.047746280782828276, "solved_exact": 76.0, "solved_sakai": 74.0, "topics_exact": 76, "topics_sakai": 74, "achieved_power": 0.8004016290403234}, {"m": 2, "min_d": 0.2, "width": null, "beside": {"tukey": 10.0, "planning": 28.0}, "topics": 20, "variance": 0.047746280782828276, "solved_exact": 20.0, "solved_sakai": 19.0, "topics_exact": 20, "topics_sakai": 19, "achieved_power": 0.8052720515035476}, {"m": 10, "min_d": 0.1, "width": null, "beside": {"tukey": 61.0, "planning": 210.0}, "topics": 151, "variance": 0.047746280782828276, "solved_exact": 151.0, "solved_sakai": 150.0, "topics_exact": 151, "topics_sakai": 150, "achieved_power": 0.8022886810850207}, {"m": 10, "min_d": 0.2, "width": null, "beside": {"tukey": 16.0, "planning": 54.0}, "topics": 39, "variance": 0.047746280782828276, "solved_exact": 39.0, "solved_sakai": 38.0, "topics_exact": 39, "topics_sakai": 38, "achieved_power": 0.8099999776800317}], "min_d": [0.1, 0.2], "notes": [], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "rounds": [{"m": 2, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.16759956411470966, "power_sakai": 0.1294943227448142, "achieved_power": 0.16759956411470966}, {"m": 2, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.5073460788296815, "power_sakai": 0.5184170805475624, "achieved_power": 0.5073460788296815}, {"m": 10, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.0839252955948423, "power_sakai": 0.050375040170313024, "achieved_power": 0.0839252955948423}, {"m": 10, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.2243302682471281, "power_sakai": 0.19622435540050354, "achieved_power": 0.2243302682471281}, {"m": 2, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.197787778479111, "power_sakai": 0.16608502771953637, "achieved_power": 0.197787778479111}, {"m": 2, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.5992817372201578, "power_sakai": 0.621120080517695, "achieved_power": 0.5992817372201578}, {"m": 10, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.09347088757559308, "power_sakai": 0.061943366174344705, "achieved_power": 0.09347088757559308}, {"m": 10, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.27911707388124596, "power_sakai": 0.2601634936697168, "achieved_power": 0.27911707388124596}], "topics": [], "estimate": {"task": "web", "mixed": [], "scale": "raw", "teams": {"again": 0, "later": 3, "teams": 3, "returning": 0, "some_unknown": ["2023"], "in_every_round": 0}, "pooled": {"dof": 168, "rounds": ["2023", "2024"], "topics": 16, "weights": "dof", "interval": {"of": "systems", "low": 0.02662880059186712, "high": 0.10594942507650391, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "variance": 0.047746280782828276, "next_round": {"of": "systems", "low": 0.025288136248554634, "u80": 0.06676927630486644, "u95": 0.0968295830191486, "high": 0.11707610580782622, "tau2": 0.012}, "homogeneity": {"dof": 1, "method": "wald-f", "reason": null, "p_value": 0.5347458114869116, "statistic": 0.42322964357153786, "dof_residual": 7.5}, "two_way_dof": 147, "max_min_ratio": 1.1353062169454162, "two_way_rounds": ["2023", "2024"], "interval_reason": null, "two_way_interval": {"of": "systems", "low": 0.013229197122664816, "high": 0.027854795088815026, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.018602732895794682, "returning_interval": {"of": "systems", "low": 0.02662880059186712, "high": 0.10594942507650391, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_next_round": {"of": "systems", "low": 0.012021851534110487, "u80": 0.022870183935249724, "u95": 0.028701217646783062, "high": 0.032094558994249706, "tau2": 0.012}, "two_way_homogeneity": {"dof": 1, "method": "wald-f", "reason": null, "p_value": 0.9157683028666088, "statistic": 0.011964655289503705, "dof_residual": 7.5}, "two_way_interval_reason": null, "two_way_returning_interval": {"of": "systems", "low": 0.013229197122664816, "high": 0.027854795088815026, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}}, "rounds": [{"dof": 80, "runs": 8, "round": "2023", "matrix": 2, "origin": "matrix", "source": null, "topics": 11, "ordinal": 1, "clusters": 8, "estimate": 4, "interval": {"of": "systems", "low": 0.02481299010252, "high": 0.14536710751728965, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "revision": 2, "software": "roundbook 0.1.0", "variance": 0.05092544497727273, "collection": null, "assessments": "official", "two_way_dof": 70, "factor_version": null, "sum_of_squares": 4.074035598181818, "interval_reason": null, "estimate_version": 1, "two_way_interval": {"of": "systems", "low": 0.01047655561993076, "high": 0.03752149724134641, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.018173928902597402, "two_way_interval_reason": null}, {"dof": 88, "runs": 8, "round": "2024", "matrix": 4, "origin": "matrix", "source": null, "topics": 12, "ordinal": 2, "clusters": 3, "estimate": 10, "interval": {"of": "systems", "low": 0.0244435074252044, "high": 0.10284657128963624, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "revision": 1, "software": "roundbook 0.1.0", "variance": 0.04485613151515151, "collection": null, "assessments": "official", "two_way_dof": 77, "factor_version": null, "sum_of_squares": 3.947339573333333, "interval_reason": null, "estimate_version": 1, "two_way_interval": {"of": "systems", "low": 0.010739936555613172, "high": 0.040691011112645746, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.01899255470779221, "two_way_interval_reason": null}], "measure": "nDCG@10", "software": "roundbook 0.1.0", "withdrawn": [], "assessments": "official"}, "interval": {"of": "systems", "low": 0.02662880059186712, "high": 0.10594942507650391, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "software": "roundbook 0.1.0", "variance": 0.047746280782828276, "variance_at": "pooled", "variance_of": null, "alternatives": [{"name": "planning", "design": "anova", "variance": 0.06676927630486644, "variance_at": "planning", "variance_kind": "one-way"}, {"name": "tukey", "design": "tukey", "variance": 0.018602732895794682, "variance_at": "pooled", "variance_kind": "two-way"}], "variance_kind": "one-way", "variance_planning": 0.06676927630486644}', 'Before the third round', 'roundbook 0.1.0', '2026-11-23 21:43:15.66961+00', 'simulated'),
	(2, 1, 'plan', 'next web', 2, '{"m": [2, 10], "beta": 0.2, "task": "web", "alpha": 0.05, "min_d": [0.1, 0.2], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "topics": [], "measure": "nDCG@10", "pool_by": "dof", "assessments": ["official"], "variance_at": "pooled"}', '{"m": [2, 10], "beta": 0.2, "alpha": 0.05, "cells": [{"m": 2, "min_d": 0.1, "width": null, "beside": {"tukey": 33.0, "planning": 113.0}, "topics": 80, "variance": 0.05007139908794981, "solved_exact": 80.0, "solved_sakai": 78.0, "topics_exact": 80, "topics_sakai": 78, "achieved_power": 0.8021232837732686}, {"m": 2, "min_d": 0.2, "width": null, "beside": {"tukey": 10.0, "planning": 29.0}, "topics": 21, "variance": 0.05007139908794981, "solved_exact": 21.0, "solved_sakai": 20.0, "topics_exact": 21, "topics_sakai": 20, "achieved_power": 0.8067766835575446}, {"m": 10, "min_d": 0.1, "width": null, "beside": {"tukey": 64.0, "planning": 224.0}, "topics": 158, "variance": 0.05007139908794981, "solved_exact": 158.0, "solved_sakai": 157.0, "topics_exact": 158, "topics_sakai": 157, "achieved_power": 0.8013299064483608}, {"m": 10, "min_d": 0.2, "width": null, "beside": {"tukey": 17.0, "planning": 57.0}, "topics": 41, "variance": 0.05007139908794981, "solved_exact": 41.0, "solved_sakai": 40.0, "topics_exact": 41, "topics_sakai": 40, "achieved_power": 0.8116924311008376}], "min_d": [0.1, 0.2], "notes": [], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "rounds": [{"m": 2, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.16759956411470966, "power_sakai": 0.1294943227448142, "achieved_power": 0.16759956411470966}, {"m": 2, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.5073460788296815, "power_sakai": 0.5184170805475624, "achieved_power": 0.5073460788296815}, {"m": 10, "min_d": 0.1, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.0839252955948423, "power_sakai": 0.050375040170313024, "achieved_power": 0.0839252955948423}, {"m": 10, "min_d": 0.2, "round": "2023", "enough": false, "reason": null, "topics": 11, "variance": 0.05092544497727273, "power_exact": 0.2243302682471281, "power_sakai": 0.19622435540050354, "achieved_power": 0.2243302682471281}, {"m": 2, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.197787778479111, "power_sakai": 0.16608502771953637, "achieved_power": 0.197787778479111}, {"m": 2, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.5992817372201578, "power_sakai": 0.621120080517695, "achieved_power": 0.5992817372201578}, {"m": 10, "min_d": 0.1, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.09347088757559308, "power_sakai": 0.061943366174344705, "achieved_power": 0.09347088757559308}, {"m": 10, "min_d": 0.2, "round": "2024", "enough": false, "reason": null, "topics": 12, "variance": 0.04485613151515151, "power_exact": 0.27911707388124596, "power_sakai": 0.2601634936697168, "achieved_power": 0.27911707388124596}, {"m": 2, "min_d": 0.1, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.17101901559505472, "power_sakai": 0.13656881411960398, "achieved_power": 0.17101901559505472}, {"m": 2, "min_d": 0.2, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.5185262136487232, "power_sakai": 0.5310302912323241, "achieved_power": 0.5185262136487232}, {"m": 10, "min_d": 0.1, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.08492557138090229, "power_sakai": 0.05390542728260306, "achieved_power": 0.08492557138090229}, {"m": 10, "min_d": 0.2, "round": "2025", "enough": false, "reason": null, "topics": 12, "variance": 0.05451026130681818, "power_exact": 0.23007295850712994, "power_sakai": 0.20564322318064954, "achieved_power": 0.23007295850712994}], "topics": [], "estimate": {"task": "web", "mixed": [], "scale": "raw", "teams": {"again": 1, "later": 4, "teams": 3, "returning": 1, "some_unknown": ["2023", "2025"], "in_every_round": 0}, "pooled": {"dof": 256, "rounds": ["2023", "2024", "2025"], "topics": 20, "weights": "dof", "interval": {"of": "systems", "low": 0.027221617320906548, "high": 0.1174780135538858, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "variance": 0.05007139908794981, "next_round": {"of": "systems", "low": 0.026354161210271922, "u80": 0.07128848198461489, "u95": 0.1040560672973772, "high": 0.12537692514208132, "tau2": 0.009600000000000001}, "homogeneity": {"dof": 2, "method": "wald-f", "reason": null, "p_value": 0.6686927305309683, "statistic": 0.4220994926980432, "dof_residual": 8.5}, "two_way_dof": 224, "max_min_ratio": 1.215224306367251, "two_way_rounds": ["2023", "2024", "2025"], "interval_reason": null, "two_way_interval": {"of": "systems", "low": 0.01469750042642791, "high": 0.027485559156801953, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.019647589926778952, "returning_interval": {"of": "systems", "low": 0.027099767044529106, "high": 0.11852159888175205, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_next_round": {"of": "systems", "low": 0.013602555811143816, "u80": 0.02336746735605307, "u95": 0.028090447814898063, "high": 0.030623970384018654, "tau2": 0.009600000000000001}, "two_way_homogeneity": {"dof": 2, "method": "wald-f", "reason": null, "p_value": 0.8442832232481107, "statistic": 0.17268322080936283, "dof_residual": 8.5}, "two_way_interval_reason": null, "two_way_returning_interval": {"of": "systems", "low": 0.014334920496478937, "high": 0.02843266621843885, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}}, "rounds": [{"dof": 80, "runs": 8, "round": "2023", "matrix": 2, "origin": "matrix", "source": null, "topics": 11, "ordinal": 1, "clusters": 8, "estimate": 4, "interval": {"of": "systems", "low": 0.02481299010252, "high": 0.14536710751728965, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "revision": 2, "software": "roundbook 0.1.0", "variance": 0.05092544497727273, "collection": null, "assessments": "official", "two_way_dof": 70, "factor_version": null, "sum_of_squares": 4.074035598181818, "interval_reason": null, "estimate_version": 1, "two_way_interval": {"of": "systems", "low": 0.01047655561993076, "high": 0.03752149724134641, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.018173928902597402, "two_way_interval_reason": null}, {"dof": 88, "runs": 8, "round": "2024", "matrix": 4, "origin": "matrix", "source": null, "topics": 12, "ordinal": 2, "clusters": 3, "estimate": 10, "interval": {"of": "systems", "low": 0.0244435074252044, "high": 0.10284657128963624, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "revision": 1, "software": "roundbook 0.1.0", "variance": 0.04485613151515151, "collection": "crawl 2", "assessments": "official", "two_way_dof": 77, "factor_version": null, "sum_of_squares": 3.947339573333333, "interval_reason": null, "estimate_version": 1, "two_way_interval": {"of": "systems", "low": 0.010739936555613172, "high": 0.040691011112645746, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.01899255470779221, "two_way_interval_reason": null}, {"dof": 88, "runs": 8, "round": "2025", "matrix": 8, "origin": "matrix", "source": null, "topics": 12, "ordinal": 3, "clusters": 6, "estimate": 22, "interval": {"of": "systems", "low": 0.02460924405187947, "high": 0.18640380420408886, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "revision": 1, "software": "roundbook 0.1.0", "variance": 0.05451026130681818, "collection": "crawl 2", "assessments": "official", "two_way_dof": 77, "factor_version": null, "sum_of_squares": 4.796902995, "interval_reason": null, "estimate_version": 1, "two_way_interval": {"of": "systems", "low": 0.013630755362080815, "high": 0.038682125576041136, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "two_way_variance": 0.021642316985930735, "two_way_interval_reason": null}], "measure": "nDCG@10", "software": "roundbook 0.1.0", "withdrawn": [], "assessments": "official"}, "interval": {"of": "systems", "low": 0.027221617320906548, "high": 0.1174780135538858, "level": 0.95, "method": "jackknife", "source": null, "few_topics": true}, "software": "roundbook 0.1.0", "variance": 0.05007139908794981, "variance_at": "pooled", "variance_of": null, "alternatives": [{"name": "planning", "design": "anova", "variance": 0.07128848198461489, "variance_at": "planning", "variance_kind": "one-way"}, {"name": "tukey", "design": "tukey", "variance": 0.019647589926778952, "variance_at": "pooled", "variance_kind": "two-way"}], "variance_kind": "one-way", "variance_planning": 0.07128848198461489}', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:16.015219+00', 'simulated'),
	(3, NULL, 'plan', 'a guess', 1, '{"m": [10], "beta": 0.2, "alpha": 0.05, "min_d": [0.1], "scale": "raw", "solve": "topics", "design": "anova", "engine": "exact", "topics": [], "pool_by": "dof", "variance": 0.05, "assessments": [], "variance_at": "pooled"}', '{"m": [10], "beta": 0.2, "alpha": 0.05, "cells": [{"m": 10, "min_d": 0.1, "width": null, "beside": {}, "topics": 158, "variance": 0.05, "solved_exact": 158.0, "solved_sakai": 157.0, "topics_exact": 158, "topics_sakai": 157, "achieved_power": 0.8020200397871347}], "min_d": [0.1], "notes": [], "scale": null, "solve": "topics", "design": "anova", "engine": "exact", "rounds": [], "topics": [], "estimate": null, "interval": null, "software": "roundbook 0.1.0", "variance": 0.05, "variance_at": null, "variance_of": null, "alternatives": [], "variance_kind": null, "variance_planning": null}', NULL, 'roundbook 0.1.0', '2026-11-23 21:43:16.054518+00', 'simulated'),
	(4, 1, 'drift', 'web/drift-1', 1, '{"m": 10, "task": "web", "measure": "nDCG@10", "to_round": "2025", "from_round": "2023", "assessments": "official", "sd_ratio_margin": 1.25}', '{"m": 10, "to": "2025", "why": "fewer than 5 units in the first round", "from": "2023", "task": "web", "tied": {"to": 0, "from": 0}, "min_d": 0.1, "moved": false, "shift": 1.5442331719415032, "tests": {"alpha": 0.05, "topics": 7, "kendall": {"dof": null, "reason": null, "p_value": 0.0027777777777777775, "statistic": 0.9047619047619048}, "pearson": {"dof": 5.0, "reason": null, "p_value": 0.00253333855468891, "statistic": 0.9284119341456695}, "runs_to": 8, "paired_t": {"dof": 6.0, "reason": null, "p_value": 0.0021806608920975842, "statistic": 5.118863669005589}, "wilcoxon": {"dof": null, "reason": null, "p_value": 0.015625, "statistic": 0.0}, "runs_from": 4, "standardising_to": "all", "welch_significant": 0, "standardising_from": "chosen", "brown_forsythe_significant": 0}, "units": {"by": "kin", "to": 6, "from": 4, "shared": 0, "runs_without_team": 9, "runs_without_system": 12}, "margin": 0.2, "needed": {"shift": null, "sd_ratio": null}, "topics": [{"sd_to": 0.1159015099125115, "shift": 0.8712578036639044, "topic": "1", "mean_to": 0.8022, "sd_from": 0.13466163460070332, "welch_p": 0.19332918295827367, "welch_t": 1.4885191539031906, "sd_ratio": 0.8606869377174942, "untested": null, "mean_from": 0.684875, "welch_dof": 5.3210601201252254, "welch_p_holm": 0.579987548874821, "brown_forsythe_f": 0.3377783853908085, "brown_forsythe_p": 0.5739795347919622, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.1477778490795269, "shift": 0.7732818917896325, "topic": "2", "mean_to": 0.7087875, "sd_from": 0.18920978436645397, "welch_p": 0.23473342567119443, "welch_t": 1.3538245506647746, "sd_ratio": 0.7810264652768519, "untested": null, "mean_from": 0.5624750000000001, "welch_dof": 4.913203751265415, "welch_p_holm": 0.579987548874821, "brown_forsythe_f": 0.0365053238023257, "brown_forsythe_p": 0.8522991368107171, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.22772594274697822, "shift": 1.8892659176347162, "topic": "3", "mean_to": 0.541125, "sd_from": 0.13346453648816228, "welch_p": 0.037864744456516684, "welch_t": 2.411226383432925, "sd_ratio": 1.7062655649141412, "untested": null, "mean_from": 0.288975, "welch_dof": 9.480972307059455, "welch_p_holm": 0.2271884667391001, "brown_forsythe_f": 5.106363973329586, "brown_forsythe_p": 0.04739050485623356, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 0.3317335339936349}, {"sd_to": 0.176566138458086, "shift": 2.7970664675608874, "topic": "5", "mean_to": 0.5165125, "sd_from": 0.08979497016351566, "welch_p": 0.008570309601098114, "welch_t": 3.2663341731932922, "sd_ratio": 1.9663254872356546, "untested": null, "mean_from": 0.26535000000000003, "welch_dof": 9.9208856142716, "welch_p_holm": 0.0599921672076868, "brown_forsythe_f": 1.3200873736453418, "brown_forsythe_p": 0.2773155454421701, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.040467129518024524, "shift": 0.29231538129485585, "topic": "6", "mean_to": 0.07115000000000002, "sd_from": 0.023433594118985105, "welch_p": 0.7191701664544303, "welch_t": 0.37041537772681604, "sd_ratio": 1.7268853131342505, "untested": null, "mean_from": 0.0643, "welch_dof": 9.532933607710664, "welch_p_holm": 0.7191701664544303, "brown_forsythe_f": 1.245346550075645, "brown_forsythe_p": 0.29054069641239594, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.18606421126666384, "shift": 1.7722733513589686, "topic": "7", "mean_to": 0.577375, "sd_from": 0.11349829293870459, "welch_p": 0.044984636000789176, "welch_t": 2.3152904109797117, "sd_ratio": 1.639356914091641, "untested": null, "mean_from": 0.37622500000000003, "welch_dof": 9.290199972892227, "welch_p_holm": 0.2271884667391001, "brown_forsythe_f": 0.7995755818573566, "brown_forsythe_p": 0.3922331669541601, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 1.0}, {"sd_to": 0.22978940941342668, "shift": 2.6240751677841714, "topic": "8", "mean_to": 0.47128749999999997, "sd_from": 0.07538370181942514, "welch_p": 0.05353935758228214, "welch_t": 2.2087040048628137, "sd_ratio": 3.0482638006271765, "untested": null, "mean_from": 0.273475, "welch_dof": 9.329186795278003, "welch_p_holm": 0.2271884667391001, "brown_forsythe_f": 2.5066132421705127, "brown_forsythe_p": 0.14445162227811, "brown_forsythe_dof": 10.0, "brown_forsythe_p_holm": 0.86670973366866}], "measure": "nDCG@10", "revived": null, "verdict": "undecided", "sd_ratio": 1.4804099682272136, "software": "roundbook 0.1.0", "verdicts": {"shift": "undecided", "sd_ratio": "undecided"}, "backwards": false, "recurring": null, "to_matrix": 8, "unbridged": null, "withdrawn": [], "mean_shift": 1.574219425869591, "shift_unit": "sd_from", "these_runs": {"shift_95": [0.747410440348037, 2.3410559035349694], "sd_ratio_95": [0.9164566922018802, 2.391399061925038]}, "to_version": 1, "assessments": "official", "consequence": {"a": 0.15, "b": 0.5, "m": 10, "beta": 0.2, "bias": 0.2035747563203435, "runs": 8, "alpha": 0.05, "later": {"mean": 0.5, "variance": 0.01347856412213213, "clipped_at_0": 0.0, "clipped_at_1": 0.0, "topics_needed": 44}, "min_d": 0.1, "engine": "exact", "topics": 7, "earlier": {"mean": 0.7035747563203435, "variance": 0.041853711709853435, "clipped_at_0": 0.0, "clipped_at_1": 0.19642857142857142, "topics_needed": 132}, "zero_sd": "average", "kendall_tau": 0.7857142857142857}, "from_matrix": 2, "margin_from": "default", "provisional": true, "to_revision": 1, "topics_used": 7, "from_version": 3, "median_shift": 1.7722733513589686, "from_revision": 2, "shared_topics": 7, "to_collection": "crawl 2", "variance_parts": {"shift": null, "sd_ratio": null}, "from_collection": null, "sd_ratio_margin": 1.25, "standardising_to": {"of": 8, "runs": 8, "which": "all"}, "undefined_shifts": 0, "sd_ratio_geometric": 1.5281704376151029, "standardising_from": {"of": 8, "runs": 4, "which": "chosen"}, "systems_like_these": {"shift": null, "sd_ratio": null, "shift_90": null, "shift_95": null, "sd_ratio_90": null, "sd_ratio_95": null}, "undefined_sd_ratios": 0}', 'For the overview paper', 'roundbook 0.1.0', '2026-11-23 21:43:16.214586+00', 'simulated');


--
-- Data for Name: result_input; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.result_input VALUES
	(1, 0, 4, NULL, NULL, NULL, '{"collection": null}', NULL, NULL),
	(1, 1, 10, NULL, NULL, NULL, '{"collection": null}', NULL, NULL),
	(2, 0, 4, NULL, NULL, NULL, '{"collection": null}', NULL, NULL),
	(2, 1, 10, NULL, NULL, NULL, '{"collection": "crawl 2"}', NULL, NULL),
	(2, 2, 22, NULL, NULL, NULL, '{"collection": "crawl 2"}', NULL, NULL),
	(4, 0, NULL, NULL, 10, NULL, '{"runs": "06f911bb2cf6a702dfafadadd3617173", "collection": null, "runs_without_team": 4, "runs_without_system": 4}', NULL, NULL),
	(4, 1, NULL, NULL, 8, NULL, '{"runs": "e7d51d018244663075a3e03d0d4610f0", "collection": "crawl 2", "runs_without_team": 5, "runs_without_system": 8}', NULL, NULL);


--
-- Data for Name: round; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.round OVERRIDING SYSTEM VALUE VALUES
	(2, 1, 2, '2024', '2024-11-12', 'draft', '2026-11-23 21:43:15.473465+00', 'crawl 2', 'd0ef92e2-1ac5-4ad9-aa0f-f9ca34c4ca49'),
	(3, 1, 3, '2025', NULL, 'draft', '2026-11-23 21:43:15.807911+00', 'crawl 2', '9d6af6cd-7bcb-4133-bf86-04c1105a6435'),
	(4, 2, 1, 'I', NULL, 'draft', '2026-11-23 21:43:16.120159+00', NULL, '3e3fbb89-2f04-4587-a74d-eaa610cfb613'),
	(5, 2, 2, 'II', NULL, 'draft', '2026-11-23 21:43:16.153596+00', NULL, '2290b4de-90bd-42ea-8ab5-380715fe3d87'),
	(1, 1, 1, '2023', '2023-11-14', 'published', '2026-11-23 21:43:15.239281+00', NULL, 'a9886af1-be4b-49f4-8a1b-b9c9612786cc');


--
-- Data for Name: run; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.run OVERRIDING SYSTEM VALUE VALUES
	(25, 2, '2024-run1', 1, 'automatic', true, 'system0'),
	(26, 2, '2024-run2', 2, 'automatic', false, 'system1'),
	(27, 2, '2024-run3', 3, 'automatic', true, 'system2'),
	(28, 2, '2024-run4', 1, 'automatic', false, 'system0'),
	(29, 2, '2024-run5', 2, 'automatic', true, 'system1'),
	(30, 2, '2024-run6', 3, 'automatic', false, 'system2'),
	(31, 2, '2024-run7', 1, 'automatic', true, 'system0'),
	(32, 2, '2024-run8', 2, 'automatic', false, 'system1'),
	(60, 3, '2025-run4', NULL, NULL, NULL, NULL),
	(61, 3, '2025-run5', NULL, NULL, NULL, NULL),
	(62, 3, '2025-run6', NULL, NULL, NULL, NULL),
	(63, 3, '2025-run7', NULL, NULL, NULL, NULL),
	(64, 3, '2025-run8', NULL, NULL, NULL, NULL),
	(57, 3, '2025-run1', 2, NULL, NULL, NULL),
	(58, 3, '2025-run2', 2, NULL, NULL, NULL),
	(59, 3, '2025-run3', 2, NULL, NULL, NULL),
	(1, 1, '2023-run1', 2, NULL, NULL, NULL),
	(2, 1, '2023-run2', 3, NULL, NULL, NULL),
	(3, 1, '2023-run3', 1, NULL, NULL, NULL),
	(4, 1, '2023-run4', 2, NULL, NULL, NULL),
	(5, 1, '2023-run5', 3, NULL, NULL, NULL),
	(6, 1, '2023-run6', 1, NULL, NULL, NULL),
	(7, 1, '2023-run7', 2, NULL, NULL, NULL),
	(8, 1, '2023-run8', 3, NULL, NULL, NULL);


--
-- Data for Name: run_list; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.run_list VALUES
	(1, 57, 1, '{0,1,2,3,4,5,6,7,8,9,10,11}', '{11.0817,11.0476,9.6368,8.1868,7.3502,6.6028,5.2609,4.4233,3.0776,3.0286,1.6354,1.1505}'),
	(1, 57, 2, '{12,2,0,6,8,1,13,14,15,3,16,17}', '{10.1409,5.4286,4.7538,3.7204,3.6456,3.4031,2.8574,2.0729,2.0648,1.9069,1.1391,0.1381}'),
	(1, 57, 3, '{12,18,19,17,11,10,20,21,2,13,8,22}', '{21.3546,13.9231,7.5069,6.9217,5.6165,4.509,4.47,3.5451,2.9672,1.3819,0.9107,0.9088}'),
	(1, 57, 4, '{7,17,1,11,23,2,18,14,24,0,16,13}', '{14.9894,10.8406,6.6558,5.1159,4.9045,4.0365,3.9492,3.5482,2.6252,1.6533,1.5385,1.4146}'),
	(1, 57, 5, '{0,17,1,12,25,14,13,26,2,15,27,16}', '{8.9568,7.7857,7.2731,5.8012,4.5628,3.8475,3.7177,3.3476,2.7847,2.4661,1.1064,1.0667}'),
	(1, 57, 6, '{25,28,9,8,2,13,20,23,24,16,3,4}', '{10.4785,9.098,6.547,5.4576,4.7341,4.6383,3.9673,3.6277,3.4455,2.3461,1.6275,0.888}'),
	(1, 57, 7, '{14,11,17,25,9,5,10,19,29,18,7,27}', '{16.734,15.7953,10.1296,10.0728,8.1032,7.7345,7.1984,6.2672,5.8829,3.2669,1.9821,0.1424}'),
	(1, 57, 8, '{11,3,29,6,23,18,21,15,20,9,7,4}', '{21.7926,13.0821,9.8938,7.9158,7.8658,5.2563,3.323,3.2731,3.1379,2.8754,1.9439,1.53}'),
	(1, 58, 1, '{9,27,26,3,13,2,5,4,19,22,21,16}', '{5.7496,5.1712,4.6886,4.5731,4.0085,3.8214,2.9281,2.8321,2.1013,2.0287,1.486,1.1573}'),
	(1, 58, 2, '{16,4,1,17,7,24,19,18,26,12,8,21}', '{15.9605,11.1623,10.4825,9.2252,6.3287,4.0219,3.7145,3.4136,3.3167,3.0436,2.3484,2.0714}'),
	(1, 58, 3, '{22,20,16,28,8,21,12,29,4,2,14,15}', '{8.6332,8.1604,6.5136,5.7832,5.7495,4.6292,4.5814,1.6274,1.5675,1.2383,0.8747,0.2978}'),
	(1, 58, 4, '{13,11,25,15,19,10,12,7,6,16,5,2}', '{7.9905,7.619,6.0199,5.8385,5.8074,4.7516,4.3741,3.314,3.3047,2.7773,2.6763,2.1717}'),
	(1, 58, 5, '{0,15,13,3,9,28,6,4,18,1,25,10}', '{11.0838,10.698,10.0572,8.7625,7.1171,4.1457,3.8226,3.7283,2.5777,1.7377,1.3332,1.0172}'),
	(1, 58, 6, '{23,25,4,5,7,10,11,19,24,21,26,15}', '{20.3718,13.181,11.5052,10.2363,5.3898,4.5621,4.343,3.6081,3.5423,2.7252,2.0765,0.7575}'),
	(1, 58, 7, '{8,15,0,3,21,7,12,22,24,16,29,13}', '{11.0394,7.2695,7.0856,6.7366,6.4493,5.9696,4.1703,3.2397,2.1365,1.8206,1.5412,0.536}'),
	(1, 58, 8, '{24,12,15,25,6,11,4,23,3,8,2,14}', '{22.0355,15.9881,13.4535,9.9819,7.4047,7.1927,5.4526,4.85,4.6121,2.9961,2.8637,0.9029}'),
	(1, 59, 1, '{0,16,26,25,3,2,19,5,10,27,29,18}', '{11.2004,7.7442,6.4095,3.9879,3.0996,3.0095,2.5059,2.4716,2.2296,2.1618,1.327,1.3063}'),
	(1, 59, 2, '{29,18,14,13,9,3,5,10,28,16,7,25}', '{12.1931,10.8909,9.3444,8.5416,6.1191,4.9424,4.7011,3.985,3.5545,2.3002,1.6057,1.6057}'),
	(1, 59, 3, '{14,4,21,0,29,11,27,26,6,28,3,18}', '{10.8959,7.9356,7.353,6.0479,5.5174,4.1848,4.1367,3.8358,3.2595,2.9012,2.2557,1.5748}'),
	(1, 59, 4, '{23,17,22,13,9,6,8,4,15,5,16,0}', '{13.8103,11.4908,8.4623,7.7287,7.6393,6.7416,6.4935,5.9429,4.2161,4.0367,1.3518,1.2038}'),
	(1, 59, 5, '{0,7,25,4,26,20,12,18,10,14,23,24}', '{14.4795,13.0103,10.7299,10.1426,10.1254,6.4455,5.7607,5.4072,4.3076,3.4827,1.8416,1.7865}'),
	(1, 59, 6, '{9,17,29,18,20,28,26,5,22,14,8,10}', '{12.809,11.0541,7.8032,6.8832,5.4696,4.4312,4.2046,2.9239,2.9164,1.168,0.6695,0.1315}'),
	(1, 59, 7, '{15,3,9,11,1,4,12,24,22,16,6,27}', '{9.1375,8.9984,8.2924,7.4775,6.0707,5.1678,4.2222,3.3917,3.0423,2.7898,1.7151,0.87}'),
	(1, 59, 8, '{19,23,29,28,1,14,17,20,0,2,15,12}', '{12.3442,11.3318,7.9995,6.6458,6.6431,5.6877,3.9442,3.8125,3.0207,2.9846,2.696,2.0082}'),
	(1, 60, 1, '{25,23,6,2,3,15,21,16,11,17,18,12}', '{10.7377,10.681,9.8101,9.6101,7.474,5.71,3.8131,3.1411,2.367,2.2501,2.2396,1.5695}'),
	(1, 60, 2, '{17,9,14,28,11,19,16,23,5,2,7,13}', '{19.6523,11.6009,7.9954,7.8914,5.4443,4.646,4.6015,3.0883,2.9017,2.1388,1.9728,0.2809}'),
	(1, 60, 3, '{3,24,27,14,6,20,28,11,29,23,10,0}', '{11.2471,6.996,5.7479,5.7473,5.6124,4.5163,3.3876,3.0844,2.7622,1.5813,1.063,0.7161}'),
	(1, 60, 4, '{20,6,2,5,15,22,23,9,29,25,1,24}', '{10.5625,9.8805,7.6653,7.5171,5.5091,3.5033,3.4428,3.0082,2.8759,2.846,2.4815,0.9034}'),
	(1, 60, 5, '{6,17,4,24,10,11,12,21,18,2,16,27}', '{11.1123,10.9245,9.952,9.716,8.2083,7.6211,6.7193,6.0205,4.5099,3.9398,1.7321,0.4881}'),
	(1, 60, 6, '{18,26,27,21,29,16,4,5,7,12,0,15}', '{16.8669,12.9672,12.5693,10.8109,9.3427,8.3151,5.1208,4.7387,2.5117,2.3647,2.0336,1.0453}'),
	(1, 60, 7, '{24,20,18,25,12,9,1,5,23,17,19,7}', '{14.2107,6.856,6.5246,6.4292,4.0192,3.8628,3.2367,2.3029,1.9353,1.5402,1.4265,1.3629}'),
	(1, 60, 8, '{27,26,14,22,4,15,5,25,24,18,0,8}', '{14.0631,12.3418,11.1572,9.4999,6.03,4.7331,4.4422,3.4846,2.5302,0.9444,0.9068,0.5838}'),
	(1, 61, 1, '{18,4,15,7,22,9,3,20,12,1,11,8}', '{14.0803,9.8503,9.1682,8.2582,5.5927,3.9684,3.6581,1.9314,1.848,1.4078,1.0255,0.9494}'),
	(1, 61, 2, '{3,19,12,6,20,28,2,0,26,18,25,24}', '{21.5979,14.2449,7.0894,6.4156,6.2769,6.131,4.398,3.3395,2.9118,2.7425,2.6765,1.4951}'),
	(1, 61, 3, '{20,24,27,28,13,0,25,17,11,23,18,26}', '{13.4074,9.9818,8.1761,7.8567,7.7507,6.522,5.7161,5.5081,5.2682,4.8587,2.2134,1.4289}'),
	(1, 61, 4, '{3,9,24,15,12,7,17,2,21,16,19,14}', '{12.3629,11.4261,6.8319,5.5342,4.6238,3.6476,3.509,3.2878,2.9642,2.872,1.6442,1.4033}'),
	(1, 61, 5, '{23,24,15,14,28,17,20,19,4,7,16,5}', '{8.6365,8.3947,5.7518,5.6399,5.0207,4.6967,3.1878,3.1046,2.1343,1.5237,0.895,0.5533}'),
	(1, 61, 6, '{27,23,8,15,14,3,1,16,18,19,5,10}', '{8.4522,5.5697,5.2287,4.8921,4.1066,3.3369,3.0113,2.978,2.9268,1.8302,1.7296,1.4633}'),
	(1, 61, 7, '{3,27,0,9,2,10,29,26,24,1,16,8}', '{12.6675,10.8473,9.3171,8.9649,6.9049,5.5899,4.3141,4.1755,3.0595,2.7556,2.4828,2.2647}'),
	(1, 61, 8, '{23,15,8,3,9,17,24,18,20,0,7,28}', '{13.4985,12.9724,8.5794,8.0067,5.813,5.4022,4.4869,3.7443,3.6182,3.1094,1.6528,0.5478}'),
	(1, 62, 1, '{18,19,0,4,21,16,11,12,1,25,5,24}', '{18.0306,9.8273,9.5216,5.0075,4.7117,3.7561,3.587,3.4706,3.1738,2.4991,1.4749,0.6882}'),
	(1, 62, 2, '{6,4,17,25,14,29,23,8,0,9,1,15}', '{19.7534,16.7029,10.2975,8.5101,7.1627,6.6683,3.7173,3.4438,3.0007,1.818,1.0117,0.5045}'),
	(1, 62, 3, '{9,20,5,3,27,16,21,26,15,24,13,1}', '{12.2913,11.2585,10.7277,9.9993,7.5504,6.4986,5.2563,5.2131,4.8736,4.6919,3.5667,1.4112}'),
	(1, 62, 4, '{2,27,6,26,22,21,29,4,8,11,18,12}', '{16.4308,12.3592,11.142,7.054,5.0139,4.7589,4.1395,3.012,2.1056,2.0737,1.9578,1.178}'),
	(1, 62, 5, '{18,5,12,21,27,4,13,17,10,7,25,15}', '{14.8614,10.8412,10.1023,7.8553,7.5215,7.0974,6.9126,6.4228,4.2951,4.2007,2.7997,2.5953}'),
	(1, 62, 6, '{4,28,3,8,22,13,5,20,17,12,21,29}', '{14.8393,10.2659,8.8857,8.6227,7.9777,7.3943,5.5506,4.8788,4.5776,4.1283,2.3887,1.2612}'),
	(1, 62, 7, '{27,13,28,1,17,9,3,2,22,10,0,29}', '{17.9511,11.1722,9.515,9.3808,7.9012,7.4492,6.6166,6.4656,5.9129,5.0882,3.0594,2.7392}'),
	(1, 62, 8, '{10,23,13,16,7,2,11,1,3,27,6,24}', '{18.1354,7.9392,7.0258,6.3888,5.96,5.2818,4.5739,3.4232,2.2585,1.3778,1.229,0.0281}'),
	(1, 63, 1, '{17,0,2,22,26,16,4,6,23,20,7,10}', '{15.9889,12.109,8.952,7.6106,6.9801,6.3385,4.4698,3.6576,2.0148,1.9818,1.8464,1.0901}'),
	(1, 63, 2, '{28,17,14,6,10,4,23,24,12,27,11,7}', '{9.9666,8.6163,5.9997,4.4002,4.1692,3.7688,3.6659,2.426,2.0768,1.7025,1.0596,0.6521}');
INSERT INTO roundbook.run_list VALUES
	(1, 63, 3, '{22,18,2,24,6,20,21,3,12,23,15,9}', '{12.1654,10.1928,9.6458,9.4252,5.5124,4.2745,3.3326,2.9306,2.6585,2.5958,2.4517,1.1047}'),
	(1, 63, 4, '{24,18,19,2,4,9,26,22,7,16,6,14}', '{7.0526,6.8308,6.721,5.6922,5.6882,5.6198,5.4592,5.0969,5.0576,3.9589,3.781,2.8471}'),
	(1, 63, 5, '{6,16,4,26,1,22,27,11,3,0,20,14}', '{15.292,8.4927,7.9456,7.6741,7.4021,7.3324,5.7802,3.7165,3.4661,2.3556,2.1993,1.3047}'),
	(1, 63, 6, '{8,0,14,25,4,10,21,19,16,24,1,3}', '{15.553,14.4249,11.4732,8.8784,8.5593,8.1646,6.1978,4.8881,3.1404,2.6679,1.0574,0.7937}'),
	(1, 63, 7, '{4,14,29,3,0,22,9,8,18,1,24,15}', '{13.6441,9.4912,7.5476,5.1647,4.154,3.9303,3.4563,3.0735,1.9046,1.5244,1.37,0.626}'),
	(1, 63, 8, '{5,27,13,19,7,8,16,12,3,2,23,10}', '{10.6165,9.0138,5.9949,5.205,4.9691,4.3368,3.6222,3.6014,3.5452,3.2535,3.1744,0.3028}'),
	(2, 64, 1, '{18,21,8,12,11,22,23,10,24,28,6,15}', '{9.8599,8.73,8.3433,7.9734,7.3186,4.0451,3.5438,2.9402,2.5783,1.9031,1.7513,1.4633}'),
	(2, 64, 2, '{17,6,24,8,10,27,12,23,7,0,11,4}', '{20.385,9.0126,8.9681,8.2881,6.0146,5.9,5.662,5.5156,4.7928,3.614,3.0551,2.5086}'),
	(2, 64, 3, '{4,14,18,23,8,28,27,12,15,0,10,19}', '{20.2423,15.0893,14.4656,13.6317,9.9735,8.4463,6.8496,6.5005,5.9941,4.4161,2.1031,1.8065}'),
	(2, 64, 4, '{23,12,27,16,17,28,4,19,15,8,22,29}', '{13.0313,12.7308,7.3983,7.1498,6.1854,5.5724,5.4604,4.7366,4.7356,4.4494,4.2918,3.0321}'),
	(2, 64, 5, '{0,21,27,11,12,28,2,3,15,8,13,9}', '{14.7258,12.2855,9.1241,8.9968,7.5821,7.0868,7.0273,6.4827,6.4604,6.1933,5.2302,2.7476}'),
	(2, 64, 6, '{3,23,29,22,8,5,17,27,16,1,21,15}', '{16.8394,7.8509,7.711,6.959,6.8609,6.705,4.8109,3.6521,3.2432,2.8725,1.9865,0.717}'),
	(2, 64, 7, '{13,4,21,12,7,8,22,14,2,9,6,16}', '{7.2547,6.8694,5.33,5.2379,5.2128,4.9554,4.1528,3.3551,2.8504,2.6465,2.0871,1.6529}'),
	(2, 64, 8, '{15,29,10,26,12,22,28,8,0,19,18,16}', '{14.2957,7.7279,6.1069,5.4385,5.2938,5.2173,4.3797,4.1215,3.2751,3.1549,2.7653,0.3534}');


--
-- Data for Name: run_upload; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.run_upload OVERRIDING SYSTEM VALUE VALUES
	(1, 3, 1, 7, 30, 0, '{first.run}', '{20199}', '{69ebd0ee6a621a804e9947103868ff3a8f9580b892ef93572b6ec76691c01132}', 'roundbook 0.1.0', '2026-11-23 21:43:17.070701+00', 'simulated'),
	(2, 3, 2, 1, 30, 0, '{last.run}', '{2879}', '{9f61de5e1be2e57268905bb3a4ab6664a913b1932558aa6d63497135fb353d07}', 'roundbook 0.1.0', '2026-11-23 21:43:17.070701+00', 'simulated');


--
-- Data for Name: score_vector; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.score_vector VALUES
	(1, 0, 12, 8, '{0.5928,0.7047,0.1777,0.3637,0.2444,0.0512,0.2367,0.2442,0.3478,0.2379,0.5229,0.2888}'),
	(1, 1, 12, 8, '{0.8578,0.2838,0.4711,0.3304,0.3603,0.0606,0.3435,0.3372,0.2671,0.6468,0.589,0.1104}'),
	(1, 2, 12, 8, '{0.5646,0.6408,0.2017,0.2583,0.1509,0.047,0.5028,0.3322,0.2591,0.2653,0.5186,0.2112}'),
	(1, 3, 12, 8, '{0.7243,0.6206,0.3054,0.2144,0.3058,0.0984,0.4219,0.1803,0.6171,0.5494,0.6371,0.1077}'),
	(1, 4, 12, 8, '{0.7633,0.7428,0.4821,0.2397,0.2689,0.1207,0.4818,0.4171,0.62,0.4407,0.7415,0.3867}'),
	(1, 5, 12, 8, '{0.5643,0.7926,0.6817,0.306,0.771,0.0683,0.6031,0.5234,0.8,0.454,0.7621,0.203}'),
	(1, 6, 12, 8, '{0.8654,0.6167,0.54,0.2949,0.6779,0.1324,0.3171,0.5086,0.8251,0.6459,0.9425,0.6264}'),
	(1, 7, 12, 8, '{0.7308,0.8723,0.6662,0.609,0.2662,0.0894,0.7284,0.4105,0.6174,0.8509,0.8321,0.3893}'),
	(2, 0, 11, 8, '{0.5928,0.7047,0.1777,0.2444,0.0512,0.2367,0.2442,0.3478,0.2379,0.5229,0.2888}'),
	(2, 1, 11, 8, '{0.8578,0.2838,0.4711,0.3603,0.0606,0.3435,0.3372,0.2671,0.6468,0.589,0.1104}'),
	(2, 2, 11, 8, '{0.5646,0.6408,0.2017,0.1509,0.047,0.5028,0.3322,0.2591,0.2653,0.5186,0.2112}'),
	(2, 3, 11, 8, '{0.7243,0.6206,0.3054,0.3058,0.0984,0.4219,0.1803,0.6171,0.5494,0.6371,0.1077}'),
	(2, 4, 11, 8, '{0.7633,0.7428,0.4821,0.2689,0.1207,0.4818,0.4171,0.62,0.4407,0.7415,0.3867}'),
	(2, 5, 11, 8, '{0.5643,0.7926,0.6817,0.771,0.0683,0.6031,0.5234,0.8,0.454,0.7621,0.203}'),
	(2, 6, 11, 8, '{0.8654,0.6167,0.54,0.6779,0.1324,0.3171,0.5086,0.8251,0.6459,0.9425,0.6264}'),
	(2, 7, 11, 8, '{0.7308,0.8723,0.6662,0.2662,0.0894,0.7284,0.4105,0.6174,0.8509,0.8321,0.3893}'),
	(3, 0, 12, 8, '{0,0.4,0.4,0.2,0,0,0.2,0.2,0.2,0.2,0.2,0.4}'),
	(3, 1, 12, 8, '{0,0.4,0.4,0.2,0.4,0,0.4,0.2,0.2,0.6,0.8,0}'),
	(3, 2, 12, 8, '{0,0.4,0.2,0.6,0.4,0,0.6,0.4,0.4,0.2,0.4,0.2}'),
	(3, 3, 12, 8, '{0,0.6,0.2,0.4,0.4,0,0.6,0.4,0.2,0.2,0.8,0.6}'),
	(3, 4, 12, 8, '{0,0.4,0.6,0.4,0.2,0,0.4,0.2,0.2,0.4,0.8,0.6}'),
	(3, 5, 12, 8, '{0,0.8,0.6,0.2,0.4,0,0.4,0.2,0.8,0.4,0.8,0.2}'),
	(3, 6, 12, 8, '{0,0.6,0.8,0.4,0.4,0.2,0.6,0.2,0.8,0.6,0.8,0.6}'),
	(3, 7, 12, 8, '{0,0.8,0.6,0.6,0.8,0,0.8,0.6,0.8,0.6,0.8,0.4}'),
	(4, 0, 12, 8, '{0.495,0.4449,0.2602,0.2214,0.2367,0.021,0.4434,0.5159,0.0717,0.1119,0.0253,0.0595}'),
	(4, 1, 12, 8, '{0.6643,0.4447,0.4663,0.1636,0.353,0.0246,0.4567,0.3448,0.1446,0.4353,0.0918,0.3301}'),
	(4, 2, 12, 8, '{0.4051,0.3581,0.4103,0.1475,0.3006,0.0775,0.3498,0.1314,0.1725,0.1527,0.0696,0.3246}'),
	(4, 3, 12, 8, '{0.5225,0.4591,0.3554,0.2905,0.5118,0.0326,0.409,0.1808,0.1728,0.6355,0.1314,0.3008}'),
	(4, 4, 12, 8, '{0.7795,0.6695,0.5135,0.337,0.2914,0.0896,0.6605,0.2789,0.7045,0.331,0.0908,0.2782}'),
	(4, 5, 12, 8, '{0.6688,0.6166,0.4327,0.4389,0.6307,0.0411,0.5051,0.6096,0.3019,0.5937,0.2887,0.2415}'),
	(4, 6, 12, 8, '{0.8546,0.7631,0.7044,0.4081,0.8174,0.1613,0.6026,0.245,0.1427,0.8039,0.2946,0.8209}'),
	(4, 7, 12, 8, '{0.9336,0.6503,0.7579,0.8388,0.5459,0.0547,0.578,0.2686,0.4402,0.8214,0.4257,0.6448}'),
	(5, 0, 12, 8, '{0.4748,0.458,0.2623,0.2368,0.2377,0.0471,0.4257,0.5327,0.0989,0.1311,0.0342,0.0528}'),
	(5, 1, 12, 8, '{0.6555,0.4127,0.4711,0.13,0.3905,0.0401,0.4709,0.3443,0.1424,0.4293,0.1121,0.3504}'),
	(5, 2, 12, 8, '{0.4446,0.3719,0.4147,0.1591,0.2618,0.0881,0.3634,0.1075,0.1326,0.1598,0.0629,0.325}'),
	(5, 3, 12, 8, '{0.5288,0.4413,0.3638,0.2833,0.5212,0.0425,0.423,0.1818,0.1613,0.6359,0.1359,0.307}'),
	(5, 4, 12, 8, '{0.755,0.6583,0.4877,0.3214,0.2741,0.0613,0.6507,0.2264,0.7055,0.3265,0.1224,0.2766}'),
	(5, 5, 12, 8, '{0.6865,0.6079,0.4673,0.4294,0.6443,0.0499,0.516,0.6061,0.2808,0.6241,0.2806,0.2217}'),
	(5, 6, 12, 8, '{0.8408,0.7616,0.6879,0.4051,0.7931,0.1339,0.5888,0.2756,0.1422,0.793,0.2986,0.8193}'),
	(5, 7, 12, 8, '{0.93,0.6553,0.7524,0.8491,0.5665,0.0359,0.5607,0.2713,0.4351,0.8095,0.4623,0.6382}'),
	(6, 0, 12, 8, '{0,0.6,0.2,0.2,0.2,0,0.2,0,0.4,0.2,0,0}'),
	(6, 1, 12, 8, '{0,0.8,0.4,0.2,0.2,0,0.2,0.2,0.2,0.4,0.4,0.2}'),
	(6, 2, 12, 8, '{0,0.6,0.6,0.4,0.2,0,0.4,0.2,0.4,0.4,0,0.2}'),
	(6, 3, 12, 8, '{0,1,0.8,0.4,0.2,0.2,0.6,0.2,0.4,0.6,0.2,0.6}'),
	(6, 4, 12, 8, '{0,0.4,0.8,0.2,0.2,0,0.4,0.2,0.2,0.4,0.2,0.4}'),
	(6, 5, 12, 8, '{0,1,0.6,0.6,0.2,0.2,0.8,0.2,0.4,0.6,0.4,0.6}'),
	(6, 6, 12, 8, '{0,0.8,0.8,0.6,0.6,0.2,0.8,0.4,0.4,0.6,0.4,0.4}'),
	(6, 7, 12, 8, '{0,1,0.6,0.6,0.4,0.2,0.8,0.6,0.4,0.6,0.6,0.8}'),
	(9, 0, 12, 8, '{0,0.6,0.6,0.4,0.2,0,0.6,0.2,0.2,0.2,0.4,0.6}'),
	(9, 1, 12, 8, '{0,0.6,0.4,0.4,0.4,0,0.8,0.2,0.4,0.4,0.4,0.4}');
INSERT INTO roundbook.score_vector VALUES
	(9, 2, 12, 8, '{0,0.8,0.4,0.4,0.4,0.2,0.8,0.4,0.4,0.6,0.6,0.8}'),
	(9, 3, 12, 8, '{0,0.6,0.8,0.2,0.4,0,0.6,0.4,0.6,0.6,0.6,0.4}'),
	(9, 4, 12, 8, '{0,0.8,0.8,0.6,0.6,0,0.6,0.4,0.2,0.8,0.6,0.8}'),
	(9, 5, 12, 8, '{0,0.6,0.8,0.4,0.8,0,0.8,0.4,0.6,0.6,0.6,0.8}'),
	(9, 6, 12, 8, '{0,0.8,0.8,0.6,0.4,0.2,0.6,0.2,0.6,0.8,0.4,0.6}'),
	(9, 7, 12, 8, '{0,0.8,0.8,0.6,0.6,0.2,0.8,0.6,0.6,0.6,0.8,1}'),
	(7, 0, 12, 8, '{0,0.581,0.2381,0.1996,0.2102,0.002,0.2163,0,0.4121,0.1607,0.0035,0}'),
	(7, 1, 12, 8, '{0.0121,0.8144,0.402,0.2218,0.1867,0.0085,0.2226,0.2676,0.2297,0.4055,0.3677,0.2249}'),
	(7, 2, 12, 8, '{0,0.6046,0.585,0.4007,0.2185,0.0429,0.4213,0.2325,0.4115,0.3933,0,0.2215}'),
	(7, 3, 12, 8, '{0,0.9611,0.7767,0.3927,0.2388,0.212,0.6295,0.1879,0.3944,0.6039,0.1932,0.6077}'),
	(7, 4, 12, 8, '{0.015,0.4019,0.8371,0.1913,0.1699,0.0081,0.4383,0.2121,0.1854,0.4014,0.1919,0.4217}'),
	(7, 5, 12, 8, '{0,0.9969,0.5915,0.6225,0.2176,0.22,0.7822,0.2186,0.4252,0.6326,0.3936,0.5964}'),
	(7, 6, 12, 8, '{0.027,0.8118,0.7886,0.6085,0.5529,0.2156,0.796,0.38,0.4275,0.5792,0.4186,0.4317}'),
	(7, 7, 12, 8, '{0,1,0.6179,0.6078,0.3955,0.2056,0.7885,0.6347,0.417,0.6103,0.553,0.803}'),
	(8, 0, 12, 8, '{0.5781,0.6636,0.1936,0.2185,0.4933,0.0119,0.3164,0.136,0.2771,0.2191,0.3093,0.4202}'),
	(8, 1, 12, 8, '{0.7121,0.6253,0.3605,0.1781,0.423,0.0446,0.603,0.3182,0.3313,0.6339,0.4396,0.6381}'),
	(8, 2, 12, 8, '{0.7973,0.8377,0.3839,0.6135,0.5928,0.0596,0.3024,0.5089,0.1678,0.2999,0.6227,0.6493}'),
	(8, 3, 12, 8, '{0.8361,0.5785,0.7737,0.1892,0.6429,0.08,0.5752,0.4857,0.3044,0.684,0.4702,0.5816}'),
	(8, 4, 12, 8, '{0.8042,0.7729,0.6778,0.3119,0.6582,0.0464,0.5562,0.8005,0.2781,0.3703,0.408,0.6014}'),
	(8, 5, 12, 8, '{0.9426,0.4774,0.7489,0.5434,0.1595,0.0929,0.7526,0.4012,0.2685,0.7192,0.3143,0.6657}'),
	(8, 6, 12, 8, '{0.9216,0.7926,0.4177,0.4301,0.7062,0.0872,0.7924,0.3328,0.4176,0.8481,0.8071,0.9079}'),
	(8, 7, 12, 8, '{0.8256,0.9223,0.7729,0.7112,0.4562,0.1466,0.7208,0.787,0.6395,0.8168,0.837,0.748}'),
	(10, 0, 8, 8, '{0.3375,0.2787,0.1763,0.3366,0.318,0.2501,0.2702,0.4029}'),
	(10, 1, 8, 8, '{0.6187,0.3287,0.3689,0.3288,0.6194,0.3622,0.4579,0.3146}'),
	(10, 2, 8, 8, '{0.2346,0.7374,0.3136,0.4419,0.552,0.2491,0.656,0.4101}'),
	(10, 3, 8, 8, '{0.4899,0.8065,0.3937,0.6305,0.6391,0.6496,0.7713,0.4053}'),
	(10, 4, 8, 8, '{0.4124,0.5163,0.3818,0.3631,0.7681,0.5084,0.8305,0.4048}'),
	(10, 5, 8, 8, '{0.4111,0.8688,0.5405,0.7268,0.4564,0.5897,0.2945,0.728}'),
	(10, 6, 8, 8, '{0.4067,0.2908,0.3968,0.5602,0.4072,0.7241,0.404,0.3426}'),
	(10, 7, 8, 8, '{0.5877,0.9253,0.448,0.727,0.6199,0.8081,0.5903,0.5527}'),
	(11, 0, 8, 8, '{0.3375,0.2787,0.1763,0.3366,0.318,0.2501,0.2702,0.4029}'),
	(11, 1, 8, 8, '{0.6187,0.3287,0.3689,0.3288,0.6194,0.3622,0.4579,0.3146}'),
	(11, 2, 8, 8, '{0.2346,0.7374,0.3136,0.4419,0.552,0.2491,0.656,0.4101}'),
	(11, 3, 8, 8, '{0.4899,0.8065,0.3937,0.6305,0.6391,0.6496,0.7713,0.4053}'),
	(11, 4, 8, 8, '{0.4124,0.5163,0.3818,0.3631,0.7681,0.5084,0.8305,0.4048}'),
	(11, 5, 8, 8, '{0.4111,0.8688,0.5405,0.7268,0.4564,0.5897,0.2945,0.728}'),
	(11, 6, 8, 8, '{0.4067,0.2908,0.3968,0.5602,0.4072,0.7241,0.404,0.3426}'),
	(11, 7, 8, 8, '{0.5877,0.9253,0.448,0.727,0.6199,0.8081,0.5903,0.5527}');


--
-- Data for Name: task; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.task OVERRIDING SYSTEM VALUE VALUES
	(1, 'web', 'Simulated web search', '2026-11-23 21:43:15.223436+00'),
	(2, 'speech', NULL, '2026-11-23 21:43:16.075345+00');


--
-- Data for Name: team; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.team OVERRIDING SYSTEM VALUE VALUES
	(1, 'Team 0'),
	(2, 'Team 1'),
	(3, 'Team 2');


--
-- Data for Name: token_revocation; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.token_revocation VALUES
	(1, 'roundbook 0.1.0', '2026-11-23 21:43:16.094661+00', 'simulated');


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
-- Data for Name: topic_alias; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.topic_alias VALUES
	(1, '1 again', 1, 's', '2026-11-23 21:43:17.358751+00', 'simulated');


--
-- Data for Name: uploaded_run; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.uploaded_run VALUES
	(1, 57, 8, 96, '66d456a4f882c1719c081044f5ca13a8bd35f1368ea2307d6f2a355c4f72bc80'),
	(1, 58, 8, 96, '9f0692fb5d697432419648eda6575d8253dd8d61bcf399dbcd4d6e10320bb09d'),
	(1, 59, 8, 96, 'fcc01397226a4ff759d9947c25e5ede7acfae2e3089e03ee48e515824e0f911b'),
	(1, 60, 8, 96, 'cd2717f3e99d257b7242bd0b6ff572c161d354c5943c1fcdfc7c04d5d9f7d801'),
	(1, 61, 8, 96, '45697322f44f0e702751d0c0058da1071bee33b819c90705aeb28039b97d557e'),
	(1, 62, 8, 96, 'a2ecfa70b6c86a74c7054a2a18954583183139ef9b05401595a15a87eeb9d166'),
	(1, 63, 8, 96, '2cf425c5cab1f7ba3197e0586384e944ccbb0169f96bcb7655cda2ac762f2c8a'),
	(2, 64, 8, 96, 'a749e05a567d6b28cdb94ad43ec7329a63a31e90e538b9e0a9c4e4ae7badf97f');


--
-- Data for Name: variance_estimate; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.variance_estimate OVERRIDING SYSTEM VALUE VALUES
	(1, 1, NULL, 'raw', 12, 8, 4.334436945833334, 88, 0.04925496529356061, 'roundbook 0.1.0', '2026-11-23 21:43:15.259844+00', 1.3893302905208336, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0, 0.0261897937599548, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.632183367013889,0.5092058903472222,0.08323643201388892,0.23870123534722226,0.2564203320138889,1.161518920347222,0.13580696034722226,0.09939650701388889,0.2134861536805555,0.18522017701388893,0.4756332903472222,0.34362768034722224}', '{0.12113550443576387,0.17587997151909723,0.08157106568576392,0.10739232839409724,0.2120295063107639,0.05643622589409722,0.13580242276909726,0.04025860318576389,0.15006919422743054,0.15995546693576393,0.02225516214409723,0.12654483901909722}'),
	(2, 1, 1, 'std-ab', 12, 8, 1.0657571336981784, 88, 0.012110876519297481, 'roundbook 0.1.0', '2026-11-23 21:43:15.259844+00', 1.0657571336981784, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0.007945818276677546, 0.017147766659628465, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.14029575732161137,0.1345589634771704,0.041867913934149674,0.13698649268384444,0.10350753888438577,0.08055588281768324,0.12372544158929877,0.06632872156836604,0.05305515677654632,0.07625390497454436,0.02316555787819876,0.08545580179237922}', '{0.14029575732161134,0.1345589634771704,0.041867913934149674,0.13698649268384444,0.10350753888438577,0.08055588281768325,0.1237254415892988,0.06632872156836606,0.053055156776546326,0.07625390497454435,0.023165557878198757,0.0854558017923792}'),
	(3, 1, 1, 'std-cdf', 12, 8, 4.487191778972466, 88, 0.05099081567014166, 'roundbook 0.1.0', '2026-11-23 21:43:15.259844+00', 4.453248726013837, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0.005151814148333215, 0.013897355038658337, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.6224456730296019,0.46826111878539445,0.1908347328292215,0.5181378922341852,0.42563223099097,0.38152539063856006,0.5705429764316169,0.2507031028411618,0.25694558729261346,0.3522905147590063,0.10290201124476704,0.3469705478953678}', '{0.6219548386403368,0.4574264736333099,0.18941136177377524,0.5078217587630153,0.41993729464638596,0.38132638591158824,0.5704206784199023,0.2493574610632729,0.2554131162183122,0.3521676454888179,0.10286643916970928,0.3451452722854112}'),
	(4, 2, NULL, 'raw', 11, 8, 4.074035598181818, 80, 0.05092544497727273, 'roundbook 0.1.0', '2026-11-23 21:43:15.339455+00', 1.272175023181818, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0, 0.029923248102340882, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.5891786492561983,0.4798494074380165,0.08455521652892563,0.25646833016528925,1.2366385192561982,0.14630161289256208,0.1153095874380165,0.1805418974380165,0.18280120561983473,0.4273055483471074,0.3750856238016529}', '{0.12414496925619832,0.18347640243801658,0.07911597152892562,0.19711097891528925,0.061210738006198334,0.14507153289256203,0.03906446243801653,0.13263129618801653,0.16692358561983472,0.017204587097107444,0.1262204988016529}'),
	(5, 2, 2, 'std-ab', 11, 8, 0.9163173234976211, 80, 0.011453966543720263, 'roundbook 0.1.0', '2026-11-23 21:43:15.339455+00', 0.916317323497621, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0.012887642014096388, 0.02600943533828417, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.13903862478552814,0.14250637687429615,0.04313326952784533,0.09471865287985126,0.06945402937251466,0.1339602736593465,0.06249829618941618,0.04324611838626294,0.08447348850069691,0.018299745269869615,0.08498844805199324}', '{0.13903862478552811,0.14250637687429615,0.043133269527845325,0.09471865287985126,0.06945402937251466,0.13396027365934648,0.062498296189416186,0.04324611838626293,0.08447348850069689,0.018299745269869615,0.08498844805199322}'),
	(6, 2, 2, 'std-cdf', 11, 8, 3.921950441989719, 80, 0.049024380524871486, 'roundbook 0.1.0', '2026-11-23 21:43:15.339455+00', 3.89926135281782, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0.008682637647261904, 0.02346786899799768, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.6200288438981659,0.5031054157590897,0.1916524469703175,0.40720097714522535,0.3363685943968514,0.5994691944470341,0.23382703414904493,0.21400353809116782,0.3764721613983409,0.08168545144646075,0.35813678428802037}', '{0.6198618840467275,0.49410773348803766,0.1908405331176807,0.40002717680511624,0.33582382051852033,0.5990574157420308,0.2330735589744084,0.2131087325281807,0.37646873463038255,0.08145448072216402,0.3554372822445716}'),
	(7, 3, NULL, 'raw', 12, 8, 5.380000000000001, 88, 0.06113636363636365, 'roundbook 0.1.0', '2026-11-23 21:43:15.421012+00', 2.01, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0.006552823104252443, 0, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{1.2183333333333335,0.3383333333333333,0.28500000000000003,0.145,0.145,1.0583333333333333,0.21166666666666661,0.1716666666666667,0.37166666666666676,0.145,0.9516666666666669,0.3383333333333334}', '{0.09333333333333331,0.09333333333333332,0.20500000000000004,0.145,0.145,0.07833333333333334,0.08666666666666667,0.12666666666666665,0.3266666666666667,0.14,0.23166666666666666,0.3383333333333334}'),
	(8, 3, 3, 'std-ab', 12, 8, 1.0993110137966136, 88, 0.012492170611325154, 'roundbook 0.1.0', '2026-11-23 21:43:15.421012+00', 1.0993110137966133, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0, 0, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.0527657488502822,0.07686837587480835,0.10492191952885209,0.10746564948755333,0.059643031336645176,0.1231866954424658,0.05632138988346442,0.1138309454964958,0.06650835496533423,0.09412324679183089,0.09310412797460521,0.1505715281642759}', '{0.0527657488502822,0.07686837587480835,0.10492191952885209,0.10746564948755331,0.05964303133664517,0.1231866954424658,0.056321389883464426,0.1138309454964958,0.06650835496533423,0.0941232467918309,0.09310412797460522,0.15057152816427588}'),
	(9, 3, 3, 'std-cdf', 12, 8, 4.729310004117649, 88, 0.05374215913770056, 'roundbook 0.1.0', '2026-11-23 21:43:15.421012+00', 4.675258648680453, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0, 5.006088348789503e-05, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.2110527789283701,0.35473537505772185,0.462939421756864,0.4864202941743534,0.19903894183015755,0.3223076869746031,0.2625630057374539,0.5215093485901661,0.3674322758603902,0.4884726687195108,0.3871224336516452,0.6657157728364128}', '{0.21070711610762516,0.3537489500016124,0.462239621288944,0.48641736878097147,0.19902517342910245,0.30012936030424314,0.262217342916709,0.5160739126143856,0.3667895309147072,0.48812700589876584,0.3668581188689672,0.6629251475544197}'),
	(10, 4, NULL, 'raw', 12, 8, 3.947339573333333, 88, 0.04485613151515151, 'roundbook 0.1.0', '2026-11-23 21:43:15.473465+00', 1.4624267125000001, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.012229062126558513, 0, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.6363819322222222,0.2255517655555555,0.1129679922222222,0.13204027055555556,0.15761343555555554,0.9593221622222223,0.13917542888888887,0.34747094888888896,0.3824011288888889,0.2789396222222221,0.395214238888889,0.1802606472222222}', '{0.04142325166666666,0.02566065875,0.040964192083333344,0.12109320333333334,0.12038077875,0.08856210666666672,0.046000178750000016,0.3073226150000001,0.2596822920833334,0.20980960833333326,0.023764068750000002,0.1777637583333333}'),
	(11, 4, 4, 'std-ab', 12, 8, 0.9287592709900493, 88, 0.010554082624886925, 'roundbook 0.1.0', '2026-11-23 21:43:15.473465+00', 0.7918397714774238, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0, 0.0029160433924081894, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.017175451848039373,0.017450469417172335,0.031120519288953003,0.1591719514109305,0.0383564502619951,0.13466399457193898,0.03961825265668326,0.2226792580854225,0.08698270095576449,0.05259356775715607,0.09010824337706941,0.03883841135892425}', '{0.017024047225876485,0.012805146185762471,0.030903562467643995,0.1357557161178352,0.037621691602438063,0.08148681593726899,0.031545362027421406,0.22198224550812076,0.08387247931714183,0.03526550493996964,0.06670531427511198,0.03687188587283308}'),
	(12, 4, 4, 'std-cdf', 12, 8, 3.4635056079327997, 88, 0.039358018271963634, 'roundbook 0.1.0', '2026-11-23 21:43:15.473465+00', 2.9976399781503207, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0, 0, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.10787056784254237,0.06940267149543657,0.14965921065953613,0.25354361509578976,0.18260327215395603,0.5873431206513657,0.15413339280988428,0.8885306111085105,0.35780548558959746,0.30075778532536196,0.22364131841497925,0.18821455678583976}', '{0.10214439475236471,0.06124331274152026,0.14941482771790301,0.22356800403396854,0.17345677058964754,0.3589657526978244,0.13483372381562025,0.8877363091049517,0.3457621623749584,0.2005164346315114,0.17705015720401485,0.18294812848603514}'),
	(13, 5, NULL, 'raw', 12, 8, 3.9371718225, 88, 0.044740588892045456, 'roundbook 0.1.0', '2026-11-23 21:43:15.541649+00', 1.4793906438541664, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.007532047143209123, 0.00052958282125826, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.6233573039583334,0.2198431272916667,0.10830113895833333,0.14847352895833327,0.15512925729166668,0.9787655839583332,0.140496515625,0.3462048439583333,0.40200865062499996,0.2709209722916667,0.348850805625,0.19482009395833336}', '{0.029911192074652773,0.030763938324652775,0.03417099207465278,0.13543980499131938,0.11702860624131947,0.10868172624131944,0.047596260407986105,0.30248436686631935,0.26724812624131944,0.19640527957465279,0.017508712491319453,0.19215163832465282}'),
	(14, 5, 5, 'std-ab', 12, 8, 1.0231979061028749, 88, 0.011627248932987215, 'roundbook 0.1.0', '2026-11-23 21:43:15.541649+00', 0.8621617218140062, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.046053592487460854, 0.05121047846593138, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.018568999714217126,0.024714341319850612,0.029534706391642115,0.17604976316366724,0.038315781186406876,0.2166567823781318,0.03999669789203156,0.19664462591489038,0.09361721122000233,0.05380217253103704,0.09500623956185722,0.04029058482914069}', '{0.017928217988870124,0.016580565852363446,0.029440758954320915,0.1600889892966142,0.03482577986796587,0.14056810318757176,0.034565560139307734,0.19594650962750002,0.08980419491290552,0.034825831057284026,0.06920930527614494,0.03837790565315778}'),
	(15, 5, 5, 'std-cdf', 12, 8, 3.780432516032954, 88, 0.04295946040946538, 'roundbook 0.1.0', '2026-11-23 21:43:15.541649+00', 3.191043546685864, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0, 0, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.1152838190566299,0.11191919151455386,0.13286949476866966,0.2952335882580474,0.19388963973108375,0.9265234157716546,0.15229070919854623,0.7943336915217483,0.38814148143983473,0.3022279641763246,0.17041468918987185,0.19730483140598837}', '{0.1066530093389734,0.09243022474472892,0.13164594095716334,0.2785743413773645,0.16557459510300207,0.5988698627244998,0.14127318161791602,0.7922789306885827,0.3717735152996106,0.1967720292180333,0.1226456173054265,0.19255229831056264}'),
	(16, 6, NULL, 'raw', 12, 8, 5.2700000000000005, 88, 0.05988636363636364, 'roundbook 0.1.0', '2026-11-23 21:43:15.597724+00', 1.2987500000000003, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.00013020747181061772, 0.009409368781610779, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{1.2175,1.4841666666666669,0.6308333333333332,0.05749999999999998,0.17749999999999994,0.5975000000000001,0.3241666666666667,0.18416666666666665,0.1175,0.10416666666666663,0.20416666666666672,0.1708333333333334}', '{0.12968749999999998,0.16385416666666677,0.20302083333333326,0.04968749999999999,0.10718749999999992,0.0196875,0.12885416666666671,0.07135416666666666,0.11468750000000001,0.013854166666666657,0.13385416666666675,0.1630208333333334}'),
	(17, 6, 6, 'std-ab', 12, 8, 1.0884199156587924, 88, 0.012368408132486276, 'roundbook 0.1.0', '2026-11-23 21:43:15.597724+00', 0.829158748849314, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.028740287064785694, 0.031289035161516224, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.11236353174932712,0.22521888743784238,0.10236381458535895,0.02700652093963623,0.10844085242032935,0.03267134610147956,0.02356995993065296,0.06694092552388921,0.14172877210321522,0.01808519311475638,0.0997038817597262,0.13032622999257873}', '{0.09023582395952687,0.13163827300360276,0.0802361067955587,0.02556468553636737,0.06772291625679762,0.02865455180660539,0.023072011189172695,0.06658560154996346,0.11960106431341495,0.015959811048767855,0.08326812766352716,0.096619775726009}'),
	(18, 6, 6, 'std-cdf', 12, 8, 3.665844106629158, 88, 0.04165731939351316, 'roundbook 0.1.0', '2026-11-23 21:43:15.597724+00', 3.0249672338959823, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.013950432811120444, 0.026731329699668106, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.3932459300400833,0.5446525566517515,0.3675259126585673,0.15217867506262878,0.4306584524483795,0.1518292290038297,0.12215561846820404,0.1760170891439818,0.5229470874516876,0.10152128883008472,0.3941927634435283,0.3089195034264314}', '{0.3335422936283178,0.371457490230439,0.3237241776318348,0.15030231692310989,0.24606147409568385,0.1423200448262683,0.12184185799126984,0.17110370632522728,0.5020657891832788,0.07297443312068706,0.3411550079683292,0.24841864197153657}'),
	(25, 9, NULL, 'raw', 12, 8, 6.0166666666666675, 88, 0.06837121212121212, 'roundbook 0.1.0', '2026-11-23 21:43:15.891606+00', 1.2220833333333332, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.005305881748497453, 0, '{1,2,3,4,5,6,7,8,92,93,94,95}', '{1.848611111111111,0.46194444444444455,0.4886111111111113,0.10194444444444443,0.1152777777777778,1.328611111111111,0.5086111111111113,0.1752777777777777,0.16861111111111104,0.23527777777777784,0.10194444444444448,0.4819444444444446}', '{0.0594097222222222,0.04940972222222225,0.16190972222222222,0.09774305555555557,0.11524305555555557,0.06190972222222221,0.09607638888888893,0.054409722222222234,0.16440972222222214,0.15190972222222224,0.054409722222222234,0.1552430555555556}'),
	(26, 9, 9, 'std-ab', 12, 8, 1.083444406494152, 88, 0.012311868255615364, 'roundbook 0.1.0', '2026-11-23 21:43:15.891606+00', 1.0834444064941517, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.00542710251086739, 0.006962710549443488, '{1,2,3,4,5,6,7,8,92,93,94,95}', '{0.054087966125487295,0.08342692975447626,0.1220754774650909,0.10541509960088073,0.07980561667947353,0.09894576075466653,0.1444204195029134,0.06467068743582664,0.12086555938639504,0.0843990207157993,0.06467068743582668,0.060661181637315674}', '{0.054087966125487295,0.08342692975447626,0.12207547746509088,0.10541509960088073,0.0798056166794735,0.09894576075466652,0.14442041950291343,0.06467068743582664,0.12086555938639504,0.08439902071579931,0.06467068743582667,0.060661181637315674}'),
	(27, 9, 9, 'std-cdf', 12, 8, 4.94153514316957, 88, 0.056153808445108755, 'roundbook 0.1.0', '2026-11-23 21:43:15.891606+00', 4.923361406125228, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.023197358122813136, 0.01901912614862766, '{1,2,3,4,5,6,7,8,92,93,94,95}', '{0.2462213772258104,0.44871397329779844,0.5190071029592596,0.42610453105148655,0.2881063181347239,0.5128463288468443,0.7820953798959801,0.2820170538715853,0.5711769034604668,0.3113849988109029,0.2820170538715852,0.2718441217431269}', '{0.2461716789094824,0.4486642749814705,0.5131293727755099,0.4259709430881722,0.2862517508002307,0.5083839745107338,0.782045681579652,0.28135875002985217,0.569332225803209,0.30885054126530365,0.281358750029852,0.27184346235175966}'),
	(19, 7, NULL, 'raw', 12, 8, 5.115213495000001, 88, 0.05812742607954546, 'roundbook 0.1.0', '2026-11-23 21:43:15.633179+00', 1.2279248012500001, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0, 0.025978389651676828, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{1.20760718375,1.4108824104166664,0.6213846204166666,0.06294089041666669,0.1616615770833333,0.5610447220833332,0.31828231208333335,0.18604698041666673,0.11452103875000003,0.10122188541666668,0.20236596375000002,0.16725391041666673}', '{0.1253556834375,0.15068522010416666,0.1980236051041666,0.055231175104166676,0.08036637677083332,0.019282294270833313,0.10763313427083332,0.09291849010416675,0.1134224059375,0.023140245104166658,0.10665190093750003,0.15521427010416672}'),
	(20, 7, 7, 'std-ab', 12, 8, 1.1208971326444057, 88, 0.012737467416413701, 'roundbook 0.1.0', '2026-11-23 21:43:15.633179+00', 0.8497768597766091, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.05121444055746792, 0.07960817630785365, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.2234772594282718,0.21089909100639903,0.10167180908419715,0.02716563990070132,0.07796393859285797,0.0358127056850302,0.02414233375895066,0.08990666920246468,0.1250319160018865,0.029314297311714182,0.06684822177146495,0.10866325090046726}', '{0.15665743793218667,0.12287112146213526,0.07945348203046461,0.02684469614031856,0.04876370625368071,0.03199537914614561,0.023888811348813748,0.08918445969443042,0.1097507449167091,0.02216531192453364,0.05646924294838996,0.08173246597880084}'),
	(21, 7, 7, 'std-cdf', 12, 8, 4.159972214159287, 88, 0.04727241152453736, 'roundbook 0.1.0', '2026-11-23 21:43:15.633179+00', 3.318669755625029, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 3, 0.043320039991314944, 0.09136318771083343, '{1,2,3,4,5,6,7,8,44,45,46,47}', '{0.9543184717253521,0.5602552059061543,0.3808747113887515,0.15867853856612046,0.3132800690484081,0.17162441783582968,0.13732440180242522,0.21169907066172594,0.5073217535705978,0.14947744340393188,0.31282416266654733,0.3022939675834426}', '{0.6708423382985674,0.3778177114275117,0.33071198198914675,0.1585061972294089,0.18177310981727396,0.16129025924150361,0.1373115368305977,0.2115297150354669,0.4926097312710562,0.0922175464208864,0.2686869058127615,0.2353727222508479}'),
	(22, 8, NULL, 'raw', 12, 8, 4.796902995, 88, 0.05451026130681818, 'roundbook 0.1.0', '2026-11-23 21:43:15.807911+00', 1.6664584079166664, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.004540495929138172, 0.009724719346377527, '{1,2,3,4,5,6,7,8,92,93,94,95}', '{0.7124034370833332,0.4211133854166665,0.22839327208333338,0.2866716454166666,0.2625854987499999,1.615926890416667,0.15395058875000006,0.22973902541666666,0.32324331875,0.24325071875000004,0.12499109208333332,0.19463412208333333}', '{0.05058789954861114,0.11937189788194438,0.22275493704861118,0.18070674788194446,0.26255553204861104,0.042906264548611114,0.12240196204861116,0.21474712121527778,0.06680193954861105,0.2150851853819445,0.12394265371527778,0.044596267048611145}'),
	(23, 8, 8, 'std-ab', 12, 8, 1.0316321444918042, 88, 0.01172309255104323, 'roundbook 0.1.0', '2026-11-23 21:43:15.807911+00', 1.0316321444918042, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.024360755529990757, 0.040292440269663325, '{1,2,3,4,5,6,7,8,92,93,94,95}', '{0.07489995885962672,0.11696063441088679,0.09858049563307911,0.09154383965879302,0.19660959111747442,0.035654493239511614,0.0775131112414676,0.09252701658764095,0.07387201374504736,0.06832209597588322,0.053457427706086434,0.051691466316307}', '{0.07489995885962672,0.11696063441088679,0.09858049563307911,0.09154383965879302,0.19660959111747442,0.035654493239511614,0.07751311124146762,0.09252701658764095,0.07387201374504736,0.0683220959758832,0.05345742770608643,0.05169146631630699}'),
	(24, 8, 8, 'std-cdf', 12, 8, 4.459131872877077, 88, 0.05067195310087587, 'roundbook 0.1.0', '2026-11-23 21:43:15.807911+00', 4.429351679794157, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.021040632630545245, 0.027831547539444057, '{1,2,3,4,5,6,7,8,92,93,94,95}', '{0.26198427993567214,0.5211037508235669,0.5176477987919771,0.4305832817831274,0.7593324050706051,0.13745412798440046,0.3287126391809522,0.43830381837532784,0.2642285113252785,0.3642715605020164,0.285476985660726,0.15003271344342614}', '{0.25833550792552107,0.5209469071193755,0.5172220412543299,0.4299285106885944,0.7534735849404643,0.13631948925656145,0.32617477735152517,0.43735393154163427,0.2548360810130623,0.3625642867708637,0.2826189920159048,0.14957756991632032}'),
	(28, 2, 10, 'std-ab', 11, 8, 2.074656738228898, 80, 0.025933209227861225, 'roundbook 0.1.0', '2026-11-23 21:43:15.920061+00', 1.764709194441737, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0.028454053080373007, 0.006341194916622418, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.25967159143520674,0.18597396011224895,0.0980750230651009,0.2501539828204364,0.1372604422395993,0.26365480298383526,0.18490754445849222,0.0763510941746863,0.1445285938555104,0.24092988934741527,0.23314981373636626}', '{0.17188331282226968,0.16293359683232972,0.08517961978991104,0.2499921683871408,0.1368085562473394,0.2577868356681874,0.15607444547498675,0.07216265342332473,0.10873579013671048,0.13568013946021396,0.2274720761993231}'),
	(29, 2, 10, 'std-cdf', 11, 8, 4.950242988943089, 80, 0.06187803736178861, 'roundbook 0.1.0', '2026-11-23 21:43:15.920061+00', 4.651993614337193, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 8, 0, 0.025768865400564837, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.6225770452444208,0.5673772804724624,0.23661412120836264,0.47973934358526626,0.23733951892756847,0.7025315773515175,0.5455877831544481,0.27771142040358615,0.32255729706437697,0.2328484923692866,0.7253591091617926}', '{0.5009324878959921,0.5673186782758562,0.21349743469211369,0.4664198996352325,0.23643490473240783,0.6939282175150097,0.5017421044198795,0.26271582858442233,0.29538155099804236,0.191513611373698,0.7221088962145389}'),
	(30, 10, NULL, 'raw', 8, 8, 1.33629861125, 56, 0.023862475200892855, 'roundbook 0.1.0', '2026-11-23 21:43:16.497193+00', 1.05924964140625, 49, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.0010170585657921644, 0.012313915184418711, '{1,2,3,4,5,6,7,8}', '{0.14296086234375002,0.31563549734375,0.14495102734375,0.07895349234375001,0.12762189984375003,0.15173049234375,0.25457941484374996,0.11986592484374999}', '{0.11543788341796872,0.23867359248046877,0.03255673279296875,0.07625006998046878,0.10637685373046873,0.14796933748046873,0.24280884060546876,0.09917633091796874}'),
	(31, 10, 11, 'std-ab', 8, 8, 0.7078006382553963, 56, 0.012639297111703505, 'roundbook 0.1.0', '2026-11-23 21:43:16.497193+00', 0.7078006382553963, 49, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.02070677749436095, 0.04321752528685984, '{1,2,3,4,5,6,7,8}', '{0.12114756702865562,0.057675681595698115,0.04768627825814242,0.061918927261701506,0.10801905522025146,0.06419610709126516,0.13908959319571254,0.10806742860396952}', '{0.1211475670286556,0.05767568159569812,0.04768627825814243,0.061918927261701506,0.10801905522025144,0.06419610709126518,0.13908959319571254,0.10806742860396955}'),
	(32, 10, 11, 'std-cdf', 8, 8, 3.029918026917291, 56, 0.05410567905209448, 'roundbook 0.1.0', '2026-11-23 21:43:16.497193+00', 3.016431248545738, 49, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.011545968247409812, 0.030874770265150387, '{1,2,3,4,5,6,7,8}', '{0.46580683190633293,0.30216356435255054,0.1715353721884646,0.3083572089757039,0.48531805666704414,0.31113695802205815,0.6161447868980541,0.36945524790708273}', '{0.46580512792598516,0.30190649660165625,0.16944204089427856,0.3082880658235921,0.4846059369776117,0.31072084989216325,0.6161399516233309,0.3595227788071201}'),
	(33, 11, NULL, 'raw', 8, 8, 1.33629861125, 56, 0.023862475200892855, 'roundbook 0.1.0', '2026-11-23 21:43:16.631686+00', 1.05924964140625, 49, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.0010170585657921644, 0.012313915184418711, '{1,2,3,4,5,6,7,8}', '{0.14296086234375002,0.31563549734375,0.14495102734375,0.07895349234375001,0.12762189984375003,0.15173049234375,0.25457941484374996,0.11986592484374999}', '{0.11543788341796872,0.23867359248046877,0.03255673279296875,0.07625006998046878,0.10637685373046873,0.14796933748046873,0.24280884060546876,0.09917633091796874}'),
	(34, 11, 12, 'std-ab', 8, 8, 0.7078006382553963, 56, 0.012639297111703505, 'roundbook 0.1.0', '2026-11-23 21:43:16.631686+00', 0.7078006382553963, 49, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.02070677749436095, 0.04321752528685984, '{1,2,3,4,5,6,7,8}', '{0.12114756702865562,0.057675681595698115,0.04768627825814242,0.061918927261701506,0.10801905522025146,0.06419610709126516,0.13908959319571254,0.10806742860396952}', '{0.1211475670286556,0.05767568159569812,0.04768627825814243,0.061918927261701506,0.10801905522025144,0.06419610709126518,0.13908959319571254,0.10806742860396955}'),
	(35, 11, 12, 'std-cdf', 8, 8, 3.029918026917291, 56, 0.05410567905209448, 'roundbook 0.1.0', '2026-11-23 21:43:16.631686+00', 3.016431248545738, 49, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 6, 0.011545968247409812, 0.030874770265150387, '{1,2,3,4,5,6,7,8}', '{0.46580683190633293,0.30216356435255054,0.1715353721884646,0.3083572089757039,0.48531805666704414,0.31113695802205815,0.6161447868980541,0.36945524790708273}', '{0.46580512792598516,0.30190649660165625,0.16944204089427856,0.3082880658235921,0.4846059369776117,0.31072084989216325,0.6161399516233309,0.3595227788071201}'),
	(36, 2, NULL, 'raw', 11, 8, 4.074035598181818, 80, 0.05092544497727273, 'roundbook 0.1.0', '2026-11-23 21:43:16.921017+00', 1.272175023181818, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 3, 0, 0, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.5891786492561983,0.4798494074380165,0.08455521652892563,0.25646833016528925,1.2366385192561982,0.14630161289256208,0.1153095874380165,0.1805418974380165,0.18280120561983473,0.4273055483471074,0.3750856238016529}', '{0.12414496925619832,0.18347640243801658,0.07911597152892562,0.19711097891528925,0.061210738006198334,0.14507153289256203,0.03906446243801653,0.13263129618801653,0.16692358561983472,0.017204587097107444,0.1262204988016529}'),
	(37, 2, 10, 'std-ab', 11, 8, 2.074656738228898, 80, 0.025933209227861225, 'roundbook 0.1.0', '2026-11-23 21:43:16.921017+00', 1.764709194441737, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 3, 0, 0.0024176412125970353, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.25967159143520674,0.18597396011224895,0.0980750230651009,0.2501539828204364,0.1372604422395993,0.26365480298383526,0.18490754445849222,0.0763510941746863,0.1445285938555104,0.24092988934741527,0.23314981373636626}', '{0.17188331282226968,0.16293359683232972,0.08517961978991104,0.2499921683871408,0.1368085562473394,0.2577868356681874,0.15607444547498675,0.07216265342332473,0.10873579013671048,0.13568013946021396,0.2274720761993231}'),
	(38, 2, 10, 'std-cdf', 11, 8, 4.950242988943089, 80, 0.06187803736178861, 'roundbook 0.1.0', '2026-11-23 21:43:16.921017+00', 4.651993614337193, 70, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 3, 0, 0, '{1,2,3,5,6,7,8,9,10,11,12}', '{0.6225770452444208,0.5673772804724624,0.23661412120836264,0.47973934358526626,0.23733951892756847,0.7025315773515175,0.5455877831544481,0.27771142040358615,0.32255729706437697,0.2328484923692866,0.7253591091617926}', '{0.5009324878959921,0.5673186782758562,0.21349743469211369,0.4664198996352325,0.23643490473240783,0.6939282175150097,0.5017421044198795,0.26271582858442233,0.29538155099804236,0.191513611373698,0.7221088962145389}'),
	(39, 3, NULL, 'raw', 12, 8, 5.380000000000001, 88, 0.06113636363636365, 'roundbook 0.1.0', '2026-11-23 21:43:16.921017+00', 2.01, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 3, 0.0033505317705467197, 0, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{1.2183333333333335,0.3383333333333333,0.28500000000000003,0.145,0.145,1.0583333333333333,0.21166666666666661,0.1716666666666667,0.37166666666666676,0.145,0.9516666666666669,0.3383333333333334}', '{0.09333333333333331,0.09333333333333332,0.20500000000000004,0.145,0.145,0.07833333333333334,0.08666666666666667,0.12666666666666665,0.3266666666666667,0.14,0.23166666666666666,0.3383333333333334}'),
	(40, 3, 3, 'std-ab', 12, 8, 1.0993110137966136, 88, 0.012492170611325154, 'roundbook 0.1.0', '2026-11-23 21:43:16.921017+00', 1.0993110137966133, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 3, 0, 0, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.0527657488502822,0.07686837587480835,0.10492191952885209,0.10746564948755333,0.059643031336645176,0.1231866954424658,0.05632138988346442,0.1138309454964958,0.06650835496533423,0.09412324679183089,0.09310412797460521,0.1505715281642759}', '{0.0527657488502822,0.07686837587480835,0.10492191952885209,0.10746564948755331,0.05964303133664517,0.1231866954424658,0.056321389883464426,0.1138309454964958,0.06650835496533423,0.0941232467918309,0.09310412797460522,0.15057152816427588}'),
	(41, 3, 3, 'std-cdf', 12, 8, 4.729310004117649, 88, 0.05374215913770056, 'roundbook 0.1.0', '2026-11-23 21:43:16.921017+00', 4.675258648680453, 77, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 3, 0.00035595305486524516, 0.007294024291070327, '{1,2,3,4,5,6,7,8,9,10,11,12}', '{0.2110527789283701,0.35473537505772185,0.462939421756864,0.4864202941743534,0.19903894183015755,0.3223076869746031,0.2625630057374539,0.5215093485901661,0.3674322758603902,0.4884726687195108,0.3871224336516452,0.6657157728364128}', '{0.21070711610762516,0.3537489500016124,0.462239621288944,0.48641736878097147,0.19902517342910245,0.30012936030424314,0.262217342916709,0.5160739126143856,0.3667895309147072,0.48812700589876584,0.3668581188689672,0.6629251475544197}');


--
-- Data for Name: withdrawal; Type: TABLE DATA; Schema: roundbook; Owner: -
--

INSERT INTO roundbook.withdrawal VALUES
	(10, 1, true, 'The assessors guessed', 'roundbook 0.1.0', '2026-11-23 21:43:16.559541+00', 'simulated'),
	(11, 1, true, 'The assessors guessed', 'roundbook 0.1.0', '2026-11-23 21:43:16.735428+00', 'simulated'),
	(11, 2, false, 'These did not', 'roundbook 0.1.0', '2026-11-23 21:43:16.80506+00', 'simulated');


--
-- Name: access_token_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.access_token_id_seq', 1, true);


--
-- Name: event_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.event_id_seq', 40, true);


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

SELECT pg_catalog.setval('roundbook.measure_id_seq', 2, true);


--
-- Name: published_variance_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.published_variance_id_seq', 4, true);


--
-- Name: qrels_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.qrels_id_seq', 2, true);


--
-- Name: result_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.result_id_seq', 4, true);


--
-- Name: round_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.round_id_seq', 5, true);


--
-- Name: run_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.run_id_seq', 104, true);


--
-- Name: run_upload_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.run_upload_id_seq', 2, true);


--
-- Name: task_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.task_id_seq', 2, true);


--
-- Name: team_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.team_id_seq', 19, true);


--
-- Name: topic_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.topic_id_seq', 155, true);


--
-- Name: variance_estimate_id_seq; Type: SEQUENCE SET; Schema: roundbook; Owner: -
--

SELECT pg_catalog.setval('roundbook.variance_estimate_id_seq', 41, true);


--
-- Name: access_token access_token_hash_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.access_token
    ADD CONSTRAINT access_token_hash_key UNIQUE (hash);


--
-- Name: access_token access_token_name_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.access_token
    ADD CONSTRAINT access_token_name_key UNIQUE (name);


--
-- Name: access_token access_token_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.access_token
    ADD CONSTRAINT access_token_pk PRIMARY KEY (id);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: document_names document_names_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.document_names
    ADD CONSTRAINT document_names_pk PRIMARY KEY (round_id, first);


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
-- Name: judgment_list judgment_list_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.judgment_list
    ADD CONSTRAINT judgment_list_pk PRIMARY KEY (qrels_id, topic_id);


--
-- Name: matrix matrix_id_round_id_measure_id_assessments_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_id_round_id_measure_id_assessments_key UNIQUE (id, round_id, measure_id, assessments);


--
-- Name: matrix matrix_id_runs_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix
    ADD CONSTRAINT matrix_id_runs_key UNIQUE (id, runs);


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
-- Name: matrix_run matrix_run_matrix_id_run_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_run
    ADD CONSTRAINT matrix_run_matrix_id_run_id_key UNIQUE (matrix_id, run_id);


--
-- Name: matrix_run matrix_run_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_run
    ADD CONSTRAINT matrix_run_pk PRIMARY KEY (matrix_id, "position");


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
-- Name: qrels qrels_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.qrels
    ADD CONSTRAINT qrels_pk PRIMARY KEY (id);


--
-- Name: qrels qrels_round_id_assessments_revision_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.qrels
    ADD CONSTRAINT qrels_round_id_assessments_revision_key UNIQUE (round_id, assessments, revision);


--
-- Name: result_input result_input_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_pk PRIMARY KEY (result_id, "position");


--
-- Name: result result_kind_name_version_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result
    ADD CONSTRAINT result_kind_name_version_key UNIQUE (kind, name, version);


--
-- Name: result result_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result
    ADD CONSTRAINT result_pk PRIMARY KEY (id);


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
-- Name: run_list run_list_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run_list
    ADD CONSTRAINT run_list_pk PRIMARY KEY (run_upload_id, run_id, topic_id);


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
-- Name: run_upload run_upload_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run_upload
    ADD CONSTRAINT run_upload_pk PRIMARY KEY (id);


--
-- Name: run_upload run_upload_round_id_number_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run_upload
    ADD CONSTRAINT run_upload_round_id_number_key UNIQUE (round_id, number);


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
-- Name: token_revocation token_revocation_access_token_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.token_revocation
    ADD CONSTRAINT token_revocation_access_token_id_key UNIQUE (access_token_id);


--
-- Name: topic_alias topic_alias_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic_alias
    ADD CONSTRAINT topic_alias_pk PRIMARY KEY (task_id, name);


--
-- Name: topic topic_id_task_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic
    ADD CONSTRAINT topic_id_task_id_key UNIQUE (id, task_id);


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
-- Name: uploaded_run uploaded_run_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.uploaded_run
    ADD CONSTRAINT uploaded_run_pk PRIMARY KEY (run_upload_id, run_id);


--
-- Name: uploaded_run uploaded_run_run_id_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.uploaded_run
    ADD CONSTRAINT uploaded_run_run_id_key UNIQUE (run_id);


--
-- Name: variance_estimate variance_estimate_pk; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.variance_estimate
    ADD CONSTRAINT variance_estimate_pk PRIMARY KEY (id);


--
-- Name: variance_estimate variance_estimate_version_key; Type: CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.variance_estimate
    ADD CONSTRAINT variance_estimate_version_key UNIQUE NULLS NOT DISTINCT (matrix_id, scale, factor_set_id, version);


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
-- Name: topic_unnormalised_index; Type: INDEX; Schema: roundbook; Owner: -
--

CREATE INDEX topic_unnormalised_index ON roundbook.topic USING btree (task_id) WHERE (NOT (name IS NFC NORMALIZED));


--
-- Name: event database_user; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER database_user BEFORE INSERT ON roundbook.event FOR EACH ROW EXECUTE FUNCTION roundbook.set_database_user();

ALTER TABLE roundbook.event ENABLE ALWAYS TRIGGER database_user;


--
-- Name: variance_estimate further; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER further AFTER INSERT ON roundbook.variance_estimate REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_other_estimate();

ALTER TABLE roundbook.variance_estimate ENABLE ALWAYS TRIGGER further;


--
-- Name: measure held; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER held BEFORE DELETE ON roundbook.measure FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_removing_scores();

ALTER TABLE roundbook.measure ENABLE ALWAYS TRIGGER held;


--
-- Name: round held; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER held BEFORE DELETE ON roundbook.round FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_removing_scores();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER held;


--
-- Name: task held; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER held BEFORE DELETE ON roundbook.task FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_removing_scores();

ALTER TABLE roundbook.task ENABLE ALWAYS TRIGGER held;


--
-- Name: access_token immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.access_token FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.access_token ENABLE ALWAYS TRIGGER immutable;


--
-- Name: document_names immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.document_names FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.document_names ENABLE ALWAYS TRIGGER immutable;


--
-- Name: event immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, at, who, what, matrix_id, why, software, database_user OR TRUNCATE ON roundbook.event FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.event ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.factor FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.factor ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor_set immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, matrix_id, round_id, assessments, version, standardising, runs, zero_sd, reason, software, fitted_at, fitted_by OR TRUNCATE ON roundbook.factor_set FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.factor_set ENABLE ALWAYS TRIGGER immutable;


--
-- Name: factor_set_run immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.factor_set_run FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.factor_set_run ENABLE ALWAYS TRIGGER immutable;


--
-- Name: judgment_list immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.judgment_list FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.judgment_list ENABLE ALWAYS TRIGGER immutable;


--
-- Name: matrix immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, round_id, assessments, revision, reason, topics, runs, content_hash, missing_policy, missing_cells, dropped_topics, files, layout, tool, software, logged_at, logged_by OR TRUNCATE ON roundbook.matrix FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.matrix ENABLE ALWAYS TRIGGER immutable;


--
-- Name: matrix_run immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.matrix_run FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.matrix_run ENABLE ALWAYS TRIGGER immutable;


--
-- Name: matrix_topic immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.matrix_topic FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.matrix_topic ENABLE ALWAYS TRIGGER immutable;


--
-- Name: measure immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE UPDATE OF id, name, family, cutoff, parameters, lower_bound, upper_bound OR TRUNCATE ON roundbook.measure FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.measure ENABLE ALWAYS TRIGGER immutable;


--
-- Name: published_variance immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, round_id, assessments, scale, revision, reason, topics, runs, variance, source, software, recorded_at, recorded_by, teams OR TRUNCATE ON roundbook.published_variance FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER immutable;


--
-- Name: qrels immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.qrels FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.qrels ENABLE ALWAYS TRIGGER immutable;


--
-- Name: result immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.result FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.result ENABLE ALWAYS TRIGGER immutable;


--
-- Name: result_input immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.result_input FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.result_input ENABLE ALWAYS TRIGGER immutable;


--
-- Name: round immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE UPDATE OF id, task_id, pseudonym_key, created_at OR TRUNCATE ON roundbook.round FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER immutable;


--
-- Name: run immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, round_id, tag OR TRUNCATE ON roundbook.run FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.run ENABLE ALWAYS TRIGGER immutable;


--
-- Name: run_list immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.run_list FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.run_list ENABLE ALWAYS TRIGGER immutable;


--
-- Name: run_upload immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.run_upload FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.run_upload ENABLE ALWAYS TRIGGER immutable;


--
-- Name: score_vector immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.score_vector FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.score_vector ENABLE ALWAYS TRIGGER immutable;


--
-- Name: task immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE UPDATE OF id, created_at OR TRUNCATE ON roundbook.task FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.task ENABLE ALWAYS TRIGGER immutable;


--
-- Name: team immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OF id, name OR TRUNCATE ON roundbook.team FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.team ENABLE ALWAYS TRIGGER immutable;


--
-- Name: token_revocation immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.token_revocation FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.token_revocation ENABLE ALWAYS TRIGGER immutable;


--
-- Name: topic immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.topic FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.topic ENABLE ALWAYS TRIGGER immutable;


--
-- Name: topic_alias immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE UPDATE OR TRUNCATE ON roundbook.topic_alias FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.topic_alias ENABLE ALWAYS TRIGGER immutable;


--
-- Name: uploaded_run immutable; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER immutable BEFORE DELETE OR UPDATE OR TRUNCATE ON roundbook.uploaded_run FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change();

ALTER TABLE roundbook.uploaded_run ENABLE ALWAYS TRIGGER immutable;


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
-- Name: judgment_list in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.judgment_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_judgments();

ALTER TABLE roundbook.judgment_list ENABLE ALWAYS TRIGGER in_time;


--
-- Name: run_list in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.run_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_list();

ALTER TABLE roundbook.run_list ENABLE ALWAYS TRIGGER in_time;


--
-- Name: uploaded_run in_time; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_time AFTER INSERT ON roundbook.uploaded_run REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_late_run();

ALTER TABLE roundbook.uploaded_run ENABLE ALWAYS TRIGGER in_time;


--
-- Name: document_names in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER in_turn AFTER INSERT ON roundbook.document_names REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_gap_in_names();

ALTER TABLE roundbook.document_names ENABLE ALWAYS TRIGGER in_turn;


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
-- Name: published_variance in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.published_variance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('revision', 'round_id', 'measure_id', 'assessments', 'scale');

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: qrels in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.qrels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('revision', 'round_id', 'assessments');

ALTER TABLE roundbook.qrels ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: result in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.result DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('version', 'kind', 'name');

ALTER TABLE roundbook.result ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: round in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.round DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('ordinal', 'task_id');

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: run_upload in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.run_upload DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('number', 'round_id');

ALTER TABLE roundbook.run_upload ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: withdrawal in_turn; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.withdrawal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_gap('number', 'matrix_id');

ALTER TABLE roundbook.withdrawal ENABLE ALWAYS TRIGGER in_turn;


--
-- Name: factor_set merged; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER merged BEFORE UPDATE OF measure_id ON roundbook.factor_set FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_other_measure();

ALTER TABLE roundbook.factor_set ENABLE ALWAYS TRIGGER merged;


--
-- Name: matrix merged; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER merged BEFORE UPDATE OF measure_id ON roundbook.matrix FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_other_measure();

ALTER TABLE roundbook.matrix ENABLE ALWAYS TRIGGER merged;


--
-- Name: measure merged; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER merged BEFORE UPDATE OF spellings ON roundbook.measure FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_other_measure();

ALTER TABLE roundbook.measure ENABLE ALWAYS TRIGGER merged;


--
-- Name: published_variance merged; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER merged BEFORE UPDATE OF measure_id ON roundbook.published_variance FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_other_measure();

ALTER TABLE roundbook.published_variance ENABLE ALWAYS TRIGGER merged;


--
-- Name: matrix_topic one_topic; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER one_topic AFTER INSERT ON roundbook.matrix_topic REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_topic_twice();

ALTER TABLE roundbook.matrix_topic ENABLE ALWAYS TRIGGER one_topic;


--
-- Name: topic_alias one_topic; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER one_topic BEFORE INSERT ON roundbook.topic_alias FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_unclear_alias();

ALTER TABLE roundbook.topic_alias ENABLE ALWAYS TRIGGER one_topic;


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
-- Name: round removed; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER removed BEFORE DELETE ON roundbook.round FOR EACH ROW EXECUTE FUNCTION roundbook.let_events_go();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER removed;


--
-- Name: task removed; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER removed BEFORE DELETE ON roundbook.task FOR EACH ROW EXECUTE FUNCTION roundbook.let_events_go();

ALTER TABLE roundbook.task ENABLE ALWAYS TRIGGER removed;


--
-- Name: round renamed; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER renamed BEFORE UPDATE OF label, ordinal ON roundbook.round FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_renaming_round();

ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER renamed;


--
-- Name: task renamed; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER renamed BEFORE UPDATE OF name ON roundbook.task FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_renaming_task();

ALTER TABLE roundbook.task ENABLE ALWAYS TRIGGER renamed;


--
-- Name: event stays; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE TRIGGER stays BEFORE UPDATE OF task_id, round_id, details ON roundbook.event FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_changed_event();

ALTER TABLE roundbook.event ENABLE ALWAYS TRIGGER stays;


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
-- Name: qrels whole; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON roundbook.qrels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_half_the_qrels();

ALTER TABLE roundbook.qrels ENABLE ALWAYS TRIGGER whole;


--
-- Name: run_upload whole; Type: TRIGGER; Schema: roundbook; Owner: -
--

CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON roundbook.run_upload DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_half_an_upload();

ALTER TABLE roundbook.run_upload ENABLE ALWAYS TRIGGER whole;


--
-- Name: access_token access_token_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.access_token
    ADD CONSTRAINT access_token_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: document_names document_names_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.document_names
    ADD CONSTRAINT document_names_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


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
    ADD CONSTRAINT factor_set_run_matrix_id_run_id_fk FOREIGN KEY (matrix_id, run_id) REFERENCES roundbook.matrix_run(matrix_id, run_id);


--
-- Name: judgment_list judgment_list_qrels_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.judgment_list
    ADD CONSTRAINT judgment_list_qrels_id_fk FOREIGN KEY (qrels_id) REFERENCES roundbook.qrels(id);


--
-- Name: judgment_list judgment_list_topic_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.judgment_list
    ADD CONSTRAINT judgment_list_topic_id_fk FOREIGN KEY (topic_id) REFERENCES roundbook.topic(id);


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
-- Name: matrix_run matrix_run_matrix_id_runs_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_run
    ADD CONSTRAINT matrix_run_matrix_id_runs_fk FOREIGN KEY (matrix_id, runs) REFERENCES roundbook.matrix(id, runs);


--
-- Name: matrix_run matrix_run_run_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.matrix_run
    ADD CONSTRAINT matrix_run_run_id_fk FOREIGN KEY (run_id) REFERENCES roundbook.run(id);


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
-- Name: qrels qrels_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.qrels
    ADD CONSTRAINT qrels_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


--
-- Name: result_input result_input_factor_set_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_factor_set_id_fk FOREIGN KEY (factor_set_id) REFERENCES roundbook.factor_set(id);


--
-- Name: result_input result_input_matrix_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_matrix_id_fk FOREIGN KEY (matrix_id) REFERENCES roundbook.matrix(id);


--
-- Name: result_input result_input_published_variance_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_published_variance_id_fk FOREIGN KEY (published_variance_id) REFERENCES roundbook.published_variance(id);


--
-- Name: result_input result_input_qrels_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_qrels_id_fk FOREIGN KEY (qrels_id) REFERENCES roundbook.qrels(id);


--
-- Name: result_input result_input_result_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_result_id_fk FOREIGN KEY (result_id) REFERENCES roundbook.result(id);


--
-- Name: result_input result_input_run_upload_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_run_upload_id_fk FOREIGN KEY (run_upload_id) REFERENCES roundbook.run_upload(id);


--
-- Name: result_input result_input_variance_estimate_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result_input
    ADD CONSTRAINT result_input_variance_estimate_id_fk FOREIGN KEY (variance_estimate_id) REFERENCES roundbook.variance_estimate(id);


--
-- Name: result result_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.result
    ADD CONSTRAINT result_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: round round_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.round
    ADD CONSTRAINT round_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: run_list run_list_run_upload_id_run_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run_list
    ADD CONSTRAINT run_list_run_upload_id_run_id_fk FOREIGN KEY (run_upload_id, run_id) REFERENCES roundbook.uploaded_run(run_upload_id, run_id);


--
-- Name: run_list run_list_topic_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run_list
    ADD CONSTRAINT run_list_topic_id_fk FOREIGN KEY (topic_id) REFERENCES roundbook.topic(id);


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
-- Name: run_upload run_upload_round_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.run_upload
    ADD CONSTRAINT run_upload_round_id_fk FOREIGN KEY (round_id) REFERENCES roundbook.round(id);


--
-- Name: score_vector score_vector_matrix_id_topics_runs_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.score_vector
    ADD CONSTRAINT score_vector_matrix_id_topics_runs_fk FOREIGN KEY (matrix_id, topics, runs) REFERENCES roundbook.matrix(id, topics, runs);


--
-- Name: token_revocation token_revocation_access_token_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.token_revocation
    ADD CONSTRAINT token_revocation_access_token_id_fk FOREIGN KEY (access_token_id) REFERENCES roundbook.access_token(id);


--
-- Name: topic_alias topic_alias_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic_alias
    ADD CONSTRAINT topic_alias_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: topic_alias topic_alias_topic_id_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic_alias
    ADD CONSTRAINT topic_alias_topic_id_task_id_fk FOREIGN KEY (topic_id, task_id) REFERENCES roundbook.topic(id, task_id);


--
-- Name: topic topic_task_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.topic
    ADD CONSTRAINT topic_task_id_fk FOREIGN KEY (task_id) REFERENCES roundbook.task(id);


--
-- Name: uploaded_run uploaded_run_run_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.uploaded_run
    ADD CONSTRAINT uploaded_run_run_id_fk FOREIGN KEY (run_id) REFERENCES roundbook.run(id);


--
-- Name: uploaded_run uploaded_run_run_upload_id_fk; Type: FK CONSTRAINT; Schema: roundbook; Owner: -
--

ALTER TABLE ONLY roundbook.uploaded_run
    ADD CONSTRAINT uploaded_run_run_upload_id_fk FOREIGN KEY (run_upload_id) REFERENCES roundbook.run_upload(id);


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


