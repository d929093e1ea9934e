# isogloss as an image: docker run --rm --volume "$PWD:/work:ro" IMAGE check /work
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/isogloss \
    && /opt/isogloss/bin/pip install --no-cache-dir --require-hashes -r action.lock \
    && /opt/isogloss/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
COPY --from=build /opt/isogloss /opt/isogloss
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin isogloss
USER 10001:10001
WORKDIR /work
ENV PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["/opt/isogloss/bin/isogloss"]
CMD ["--help"]
