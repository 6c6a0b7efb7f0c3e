# Roundbook with its service, for a PostgreSQL server that ROUNDBOOK_DATABASE_URL names. It writes
# nothing but what it is told to and, for uploads, in /tmp; its root may be read-only.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY cli ./cli
COPY migrations ./migrations
COPY service ./service
RUN python -m venv --without-pip /opt/roundbook \
 && pip --python /opt/roundbook/bin/python install --no-cache-dir --compile \
    --constraint constraints.txt '.[serve]'

FROM python:3.13-slim
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin roundbook
COPY --from=build /opt/roundbook /opt/roundbook
ENV PATH=/opt/roundbook/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    ROUNDBOOK_DATA_DIR=/tmp/roundbook
USER 10001
EXPOSE 8765
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/readyz', timeout=4)"]
ENTRYPOINT ["roundbook"]
CMD ["serve", "--host", "0.0.0.0", "--no-worker"]
