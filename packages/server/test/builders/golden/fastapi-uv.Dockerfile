FROM python:3.12 AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY pyproject.toml uv.lock ./
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=cache,target=/root/.cache/uv pip install uv && uv sync --frozen --no-dev --no-install-project
COPY . .
ENV PATH=/app/.venv/bin:$PATH

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PORT=3000
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec uvicorn app.main:api --host 0.0.0.0 --port ${PORT:-3000}"]
