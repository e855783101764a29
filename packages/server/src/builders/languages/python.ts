import { args, cmd, dockerfile, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { APP_USER, plainPlan } from './plain-plan.ts'
import { pythonVersion } from './python-version.ts'

const MARKS = ['requirements.txt', 'pyproject.toml', 'Pipfile', 'uv.lock', 'poetry.lock', 'manage.py']
const VENV = '/app/.venv'
const PIP_CACHE = 'target=/root/.cache/pip'

type Tool = { readonly name: string; readonly files: readonly string[]; readonly install: string; readonly caches: readonly string[] }

function toolOf(project: Project): Tool {
  const pyproject = project.read('pyproject.toml')
  if (project.has('uv.lock'))
    return {
      name: 'uv',
      files: ['pyproject.toml', 'uv.lock'],
      install: 'pip install uv && uv sync --frozen --no-dev --no-install-project',
      caches: [PIP_CACHE, 'target=/root/.cache/uv'],
    }
  if (project.has('poetry.lock') || pyproject.includes('[tool.poetry]'))
    return {
      name: 'poetry',
      files: ['pyproject.toml', 'poetry.lock'],
      install: 'pip install poetry && POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --only main --no-root --no-interaction',
      caches: [PIP_CACHE, 'target=/root/.cache/pypoetry'],
    }
  if (project.has('Pipfile'))
    return {
      name: 'pipenv',
      files: ['Pipfile', 'Pipfile.lock'],
      install: `pip install pipenv && PIPENV_VENV_IN_PROJECT=1 pipenv ${project.has('Pipfile.lock') ? 'sync' : 'install'}`,
      caches: [PIP_CACHE, 'target=/root/.cache/pipenv'],
    }
  const venv = `python -m venv ${VENV} && ${VENV}/bin/pip install`
  if (project.has('requirements.txt'))
    return { name: 'pip', files: ['requirements.txt'], install: `${venv} -r requirements.txt`, caches: [PIP_CACHE] }
  if (project.has('pyproject.toml')) return { name: 'pip', files: ['pyproject.toml'], install: `${venv} .`, caches: [PIP_CACHE] }
  return { name: 'pip', files: [], install: `python -m venv ${VENV}`, caches: [] }
}

/** Whether a package is among the project's dependencies, in any of the files that can list them. */
function uses(project: Project, name: string): boolean {
  const text = ['requirements.txt', 'pyproject.toml', 'Pipfile'].map((file) => project.read(file).toLowerCase()).join('\n')
  return text.split(/[^a-z0-9_.-]+/).some((word) => word === name)
}

const LIBRARIES: readonly (readonly [name: string, library: string])[] = [
  ['psycopg2', 'libpq5'],
  ['psycopg', 'libpq5'],
  ['mysqlclient', 'libmariadb3'],
  ['weasyprint', 'libpango-1.0-0 libpangoft2-1.0-0'],
]

export function detectPython(project: Project, input: BuildInput): DetectedPlan | null {
  const isPython = MARKS.some(project.has) || project.matching(/^(?:main|app|server)\.py$/).length > 0
  if (!isPython) return null
  const tool = toolOf(project)
  const version = pythonVersion(project)
  const framework = frameworkOf(project, input.port ?? 8000)
  const { overrides } = input
  const install = chosen(overrides.install, tool.install, tool.files.find(project.has) ?? 'the default')
  const build = chosen(overrides.build, framework?.build ?? '', framework?.name ?? '')
  const start = chosen(overrides.start, framework?.start ?? plainStart(project), framework?.from ?? 'its main file')
  if (start.text === '') throw noStart(project)
  const extra =
    framework?.server !== undefined && overrides.start.text === '' && !uses(project, framework.server) ? framework.server : undefined
  const libraries = [...new Set(LIBRARIES.filter(([name]) => uses(project, name)).map(([, library]) => library))]
  const image = `python:${version.version}`
  const copies = install.text === tool.install && tool.files.length > 0 && !tool.install.endsWith(' .')
  return plainPlan(project, input, {
    kind: 'python',
    title: [...(framework === undefined ? [] : [framework.name]), tool.name, `Python ${version.version}`].join(', '),
    files: [...tool.files, ...(framework?.files ?? []), 'Procfile'],
    versions: [version],
    commands: { install, build, start },
    notes: extra === undefined ? [] : [`${extra} was installed because it is not in the dependencies. Add it there to choose its version.`],
    dockerfile: dockerfile(
      [
        `FROM ${image} AS build`,
        'WORKDIR /app',
        'ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never',
        ...(copies ? [`COPY ${tool.files.filter(project.has).join(' ')} ./`] : ['COPY . .']),
        ...args(input.buildArgs),
        run(install.text, tool.caches),
        ...(extra === undefined ? [] : [run(`${VENV}/bin/python -m pip install ${extra} || uv pip install ${extra}`, tool.caches)]),
        ...(copies ? ['COPY . .'] : []),
        `ENV PATH=${VENV}/bin:$PATH`,
        ...(build.text === '' ? [] : [run(build.text)]),
      ],
      [
        `FROM ${image}-slim`,
        ...(libraries.length === 0
          ? []
          : [run(`apt-get update && apt-get install -y --no-install-recommends ${libraries.join(' ')} && rm -rf /var/lib/apt/lists/*`)]),
        APP_USER,
        `ENV PATH=${VENV}/bin:$PATH PYTHONUNBUFFERED=1 PORT=${input.port ?? 8000}`,
        'COPY --from=build --chown=app:app /app /app',
        'WORKDIR /app',
        'USER app',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

type Framework = {
  readonly name: string
  readonly start: string
  readonly from: string
  readonly files: readonly string[]
  /** What runs it for visitors, added where the project has nothing of the kind. */
  readonly server?: string
  readonly build?: string
}

function frameworkOf(project: Project, port: number): Framework | undefined {
  const bind = `0.0.0.0:\${PORT:-${port}}`
  if (project.has('manage.py')) return django(project, bind)
  const fast = moduleWith(project, 'FastAPI')
  if (uses(project, 'fastapi') && fast !== undefined) {
    const start = `uvicorn ${fast.module}:${fast.name} --host 0.0.0.0 --port \${PORT:-${port}}`
    return { name: 'FastAPI', start, from: nameIn(project, fast.file), files: [fast.file], server: 'uvicorn' }
  }
  const flask = moduleWith(project, 'Flask')
  if (uses(project, 'flask') && flask !== undefined) {
    const start = `gunicorn ${flask.module}:${flask.name} --bind ${bind}`
    return { name: 'Flask', start, from: nameIn(project, flask.file), files: [flask.file], server: 'gunicorn' }
  }
  return undefined
}

function django(project: Project, bind: string): Framework {
  const settings = /DJANGO_SETTINGS_MODULE['"]\s{0,5},\s{0,20}['"]([A-Za-z0-9_.]{1,100})['"]/.exec(project.read('manage.py'))?.[1] ?? ''
  const packageName = settings.split('.')[0] ?? ''
  const [found] = project.matching(/^[A-Za-z0-9_]+\/wsgi\.py$/)
  const module = packageName !== '' && project.has(`${packageName}/wsgi.py`) ? packageName : found?.split('/')[0]
  if (module === undefined)
    throw new BuildProblem(
      `There is ${nameIn(project, 'manage.py')} but no wsgi.py next to it. Set Settings → Start command to the command that serves this Django project, then deploy again.`,
    )
  const collects = project.matching(/^[A-Za-z0-9_]+\/settings(?:\/[a-z]+)?\.py$/).some((file) => project.read(file).includes('STATIC_ROOT'))
  return {
    name: 'Django',
    start: `gunicorn ${module}.wsgi --bind ${bind}`,
    from: nameIn(project, `${module}/wsgi.py`),
    files: ['manage.py'],
    server: 'gunicorn',
    ...(collects && { build: 'python manage.py collectstatic --noinput' }),
  }
}

/** Of a file, from its beginning. */
const MOST_LINES = 5000

/** The file that creates the app, and its variable: `app = Flask(__name__)`. */
function moduleWith(project: Project, maker: string): { file: string; module: string; name: string } | undefined {
  const candidates = project.matching(/^(?:src\/|app\/|api\/)?(?:main|app|server|application|wsgi|asgi|__init__|index)\.py$/)
  for (const file of candidates.toSorted((a, b) => a.split('/').length - b.split('/').length)) {
    for (const line of project.read(file).split('\n', MOST_LINES)) {
      const name = /^([A-Za-z_]\w{0,60})\s{0,5}(?::\s{0,5}\w{1,60}\s{0,5})?=\s{0,5}(?:\w{1,60}\.)?([A-Z]\w{1,60})\(/.exec(line)
      if (name?.[1] !== undefined && name[2] === maker)
        return {
          file,
          module: file
            .slice(0, -3)
            .replaceAll('/', '.')
            .replace(/\.__init__$/, ''),
          name: name[1],
        }
    }
  }
  return undefined
}

function plainStart(project: Project): string {
  const file = project.first(['main.py', 'app.py', 'server.py', 'bot.py', 'src/main.py'])
  return file === undefined ? '' : `python ${file}`
}

function noStart(project: Project): BuildProblem {
  const [file = 'requirements.txt'] = MARKS.filter(project.has)
  return new BuildProblem(
    `Berth cannot tell how to start this Python project: there is ${nameIn(project, file)} but no main.py, app.py or manage.py. Set Settings → Start command or add a Procfile, then deploy again.`,
  )
}
