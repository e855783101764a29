FROM python:3.13 AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY pyproject.toml poetry.lock ./
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=cache,target=/root/.cache/pypoetry pip install poetry && POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --only main --no-root --no-interaction
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=cache,target=/root/.cache/pypoetry /app/.venv/bin/python -m pip install gunicorn || uv pip install gunicorn
COPY . .
ENV PATH=/app/.venv/bin:$PATH
RUN python manage.py collectstatic --noinput

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PORT=3000
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec gunicorn shop.wsgi --bind 0.0.0.0:${PORT:-3000}"]
