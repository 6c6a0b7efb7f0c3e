"""Every use case through a door, which keeps what it did or takes it back."""

from __future__ import annotations

from functools import wraps

from roundbook.logbook import events as _events
from roundbook.logbook import factors as _factors
from roundbook.logbook import fitting as _fitting
from roundbook.logbook import generalisability as _generalisability
from roundbook.logbook import privileges as _privileges
from roundbook.logbook import published as _published
from roundbook.logbook import rankings as _rankings
from roundbook.logbook import rounds as _rounds
from roundbook.logbook import standardise as _standardise
from roundbook.logbook import tasks as _tasks
from roundbook.logbook import variances as _variances
from roundbook.logbook.archive import exporting as _archive_exporting
from roundbook.logbook.archive import importing as _archive_importing
from roundbook.logbook.drift import curve as _drift_curve
from roundbook.logbook.drift import report as _drift_report
from roundbook.logbook.drift import saved as _drift_saved
from roundbook.logbook.impact import listing as _impact_listing
from roundbook.logbook.matrices import corrections as _matrices_corrections
from roundbook.logbook.matrices import export as _matrices_export
from roundbook.logbook.matrices import history as _matrices_history
from roundbook.logbook.matrices import listing as _matrices_listing
from roundbook.logbook.matrices import logging as _matrices_logging
from roundbook.logbook.matrices import showing as _matrices_showing
from roundbook.logbook.plans import planning as _plans_planning
from roundbook.logbook.plans import saved as _plans_saved
from roundbook.logbook.session import begin


def _through_door(use_case):
    @wraps(use_case)
    def call(engine, *arguments, user="unknown", **options):
        with begin(engine, user, keep=not options.get("dry_run")) as session:
            return use_case(session, *arguments, **options)

    return call


export_archive = _through_door(_archive_exporting.export_archive)
import_archive = _through_door(_archive_importing.import_archive)
trace_drift = _through_door(_drift_curve.trace_drift)
report_drift = _through_door(_drift_report.report_drift)
list_reports = _through_door(_drift_saved.list_reports)
save_report = _through_door(_drift_saved.save_report)
show_report = _through_door(_drift_saved.show_report)
event_words = _through_door(_events.event_words)
list_events = _through_door(_events.list_events)
show_factors = _through_door(_factors.show_factors)
fit_factor_set = _through_door(_fitting.fit_factor_set)
report_generalisability = _through_door(_generalisability.report_generalisability)
show_impact = _through_door(_impact_listing.show_impact)
restore_matrix = _through_door(_matrices_corrections.restore_matrix)
withdraw_matrix = _through_door(_matrices_corrections.withdraw_matrix)
export_matrix = _through_door(_matrices_export.export_matrix)
show_history = _through_door(_matrices_history.show_history)
list_matrices = _through_door(_matrices_listing.list_matrices)
log_files = _through_door(_matrices_logging.log_files)
log_matrix = _through_door(_matrices_logging.log_matrix)
show_matrix = _through_door(_matrices_showing.show_matrix)
plan_task = _through_door(_plans_planning.plan_task)
list_plans = _through_door(_plans_saved.list_plans)
save_plan = _through_door(_plans_saved.save_plan)
show_plan = _through_door(_plans_saved.show_plan)
grant_access = _through_door(_privileges.grant_access)
record_variance = _through_door(_published.record_variance)
compare_rankings = _through_door(_rankings.compare_rankings)
create_round = _through_door(_rounds.create_round)
list_rounds = _through_door(_rounds.list_rounds)
publish_round = _through_door(_rounds.publish_round)
published_at = _through_door(_rounds.published_at)
set_round = _through_door(_rounds.set_round)
standardise = _through_door(_standardise.standardise)
standardise_files = _through_door(_standardise.standardise_files)
create_task = _through_door(_tasks.create_task)
list_tasks = _through_door(_tasks.list_tasks)
show_histories = _through_door(_variances.show_histories)
show_variances = _through_door(_variances.show_variances)
