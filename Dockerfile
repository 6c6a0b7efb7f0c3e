# The program without the embedded server's use: it finds its database by ROUNDBOOK_DATABASE_URL.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY cli ./cli
COPY migrations ./migrations
COPY service ./service
RUN python -m venv /opt/roundbook \
 && /opt/roundbook/bin/pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.13-slim
RUN useradd --create-home --uid 10001 roundbook
COPY --from=build /opt/roundbook /opt/roundbook
USER roundbook
ENV PATH=/opt/roundbook/bin:$PATH
ENTRYPOINT ["roundbook"]
CMD ["--help"]
