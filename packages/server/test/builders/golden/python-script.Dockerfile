FROM python:3.13 AS build
WORKDIR /app
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY . .
RUN python -m venv /app/.venv
ENV PATH=/app/.venv/bin:$PATH

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PORT=3000
COPY --from=build --chown=app:app /app /app
WORKDIR /app
USER app
EXPOSE 3000
CMD ["python", "main.py"]
