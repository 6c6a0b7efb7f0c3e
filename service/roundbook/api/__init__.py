"""The HTTP door: every use case under ``/api/v1``, errors as problem+json."""
