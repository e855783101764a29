FROM gradle:8-jdk21 AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.gradle,sharing=locked gradle --no-daemon build -x test && mkdir -p /out && cp $(ls build/libs/*.jar | grep -v -e plain -e sources | head -n 1) /out/app.jar

FROM eclipse-temurin:21-jre
RUN useradd --system --create-home app
WORKDIR /app
COPY --from=build /out/ /app/
ENV PORT=3000 SERVER_PORT=3000
USER app
EXPOSE 3000
CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "/app/app.jar"]
