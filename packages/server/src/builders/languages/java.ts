import { args, cmd, dockerfile, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { nameIn, type Project } from '../project.ts'
import { APP_USER, plainPlan, type Version } from './plain-plan.ts'

const GRADLE_FILES = ['build.gradle', 'build.gradle.kts']

export function detectJava(project: Project, input: BuildInput): DetectedPlan | null {
  const gradleFile = project.first(GRADLE_FILES)
  const file = project.has('pom.xml') ? 'pom.xml' : gradleFile
  if (file === undefined) return null
  const version = javaVersion(project, file)
  const isMaven = file === 'pom.xml'
  const hasWrapper = project.has(isMaven ? 'mvnw' : 'gradlew')
  const tool = isMaven ? (hasWrapper ? 'sh ./mvnw' : 'mvn') : hasWrapper ? 'sh ./gradlew' : 'gradle'
  const { overrides } = input
  const isBoot = project.read(file).includes('spring-boot') || project.read(file).includes('org.springframework.boot')
  const made = isMaven
    ? `${tool} -B -q package -DskipTests && mkdir -p /out && cp $(ls target/*.jar | grep -v -e sources -e javadoc -e original | head -n 1) /out/app.jar`
    : `${tool} --no-daemon ${isBoot ? 'bootJar' : 'build -x test'} && mkdir -p /out && cp $(ls build/libs/*.jar | grep -v -e plain -e sources | head -n 1) /out/app.jar`
  const build = chosen(overrides.build, made, nameIn(project, file))
  const start = chosen(overrides.start, `java -XX:MaxRAMPercentage=75 -jar /app/app.jar`, nameIn(project, file))
  const image = hasWrapper
    ? `eclipse-temurin:${version.version}-jdk`
    : isMaven
      ? `maven:3-eclipse-temurin-${version.version}`
      : `gradle:8-jdk${version.version}`
  const port = input.port ?? 8080
  return plainPlan(project, input, {
    kind: 'java',
    title: [...(isBoot ? ['Spring Boot'] : []), isMaven ? 'Maven' : 'Gradle', `Java ${version.version}`].join(', '),
    files: [file, 'mvnw', 'gradlew', 'system.properties', 'Procfile'],
    versions: [version],
    commands: { build, start },
    dockerfile: dockerfile(
      [
        `FROM ${image} AS build`,
        'WORKDIR /src',
        'COPY . .',
        ...args(input.buildArgs),
        run(build.text, isMaven ? ['target=/root/.m2,sharing=locked'] : ['target=/root/.gradle,sharing=locked']),
      ],
      [
        `FROM eclipse-temurin:${version.version}-jre`,
        APP_USER.replace('--uid 1000 ', '').replace('useradd', 'useradd --system'),
        'WORKDIR /app',
        'COPY --from=build /out/ /app/',
        `ENV PORT=${port} SERVER_PORT=${port}`,
        'USER app',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

function javaVersion(project: Project, file: string): Version {
  const text = project.read(file)
  const found =
    /<(?:java\.version|maven\.compiler\.(?:release|target)|release)>(?:1\.)?(\d{1,2})<\//.exec(text)?.[1] ??
    /JavaLanguageVersion\.of\((\d{1,2})\)/.exec(text)?.[1] ??
    /sourceCompatibility\s{0,5}=\s{0,5}['"]?(?:JavaVersion\.VERSION_)?(?:1[._])?(\d{1,2})/.exec(text)?.[1]
  if (found !== undefined) return { name: 'Java', version: found, from: nameIn(project, file) }
  const system = /java\.runtime\.version\s{0,5}=\s{0,5}(\d{1,2})/.exec(project.read('system.properties'))?.[1]
  return system === undefined
    ? { name: 'Java', version: '21', from: 'the default' }
    : { name: 'Java', version: system, from: nameIn(project, 'system.properties') }
}
