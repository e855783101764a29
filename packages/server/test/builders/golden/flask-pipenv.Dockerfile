FROM python:3.11 AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY Pipfile Pipfile.lock ./
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=cache,target=/root/.cache/pipenv pip install pipenv && PIPENV_VENV_IN_PROJECT=1 pipenv sync
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=cache,target=/root/.cache/pipenv /app/.venv/bin/python -m pip install gunicorn || uv pip install gunicorn
COPY . .
ENV PATH=/app/.venv/bin:$PATH

FROM python:3.11-slim
RUN useradd --create-home --uid 1000 app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PORT=3000
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec gunicorn app:app --bind 0.0.0.0:${PORT:-3000}"]
