FROM python:3.12 AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY requirements.txt ./
RUN --mount=type=cache,target=/root/.cache/pip python -m venv /app/.venv && /app/.venv/bin/pip install -r requirements.txt
COPY . .
ENV PATH=/app/.venv/bin:$PATH
RUN python manage.py collectstatic --noinput

FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends libpq5 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PORT=3000
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["/bin/sh", "-c", "exec gunicorn shop.wsgi --bind 0.0.0.0:${PORT:-3000}"]
