FROM eclipse-temurin:17-jdk AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2,sharing=locked sh ./mvnw -B -q package -DskipTests && mkdir -p /out && cp $(ls target/*.jar | grep -v -e sources -e javadoc -e original | head -n 1) /out/app.jar

FROM eclipse-temurin:17-jre
RUN useradd --system --create-home app
WORKDIR /app
COPY --from=build /out/ /app/
ENV PORT=3000 SERVER_PORT=3000
USER app
EXPOSE 3000
CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "/app/app.jar"]
