FROM denoland/deno:2
WORKDIR /app
ENV DENO_DIR=/deno-dir
COPY --chown=deno:deno . .
RUN chown deno:deno /app
USER deno
RUN deno install --entrypoint main.ts
ENV PORT=3000
EXPOSE 3000
CMD ["deno", "task", "start"]
