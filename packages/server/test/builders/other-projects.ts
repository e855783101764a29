import { json, type ProjectRow } from './project-row.ts'

const DJANGO = {
  'manage.py': "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n",
  'shop/wsgi.py': '',
  'shop/settings.py': "STATIC_ROOT = BASE_DIR / 'static'\n",
}

/** Projects of everything but Node.js. */
export const OTHER_PROJECTS = {
  'static-files': {
    files: { 'index.html': '<h1>Hello</h1>', _redirects: '/home / 301\n/blog/:slug /posts/:slug.html 200\n' },
    title: 'Static files',
    output: '.',
  },
  'static-public': { files: { 'public/index.html': '' }, title: 'Static files', output: 'public' },
  'static-builder': {
    files: { 'docs/site/index.html': '' },
    builder: 'static',
    settings: { outputDirectory: 'docs/site' },
    title: 'Static files',
    output: 'docs/site',
  },
  'static-builder-without-files': {
    files: { 'README.md': '' },
    builder: 'static',
    settings: { outputDirectory: 'site' },
    problem: 'There is no site/index.html to serve',
  },
  'django-pip': {
    files: { ...DJANGO, 'requirements.txt': 'Django==5.1\ngunicorn\npsycopg2==2.9\n', '.python-version': '3.12\n' },
    title: 'Django, pip, Python 3.12',
    start: 'gunicorn shop.wsgi --bind 0.0.0.0:${PORT:-3000}',
  },
  'django-poetry': {
    files: {
      ...DJANGO,
      'pyproject.toml': '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\npython = "^3.11"\ndjango = "5"\n',
      'poetry.lock': '',
    },
    title: 'Django, poetry, Python 3.13',
    start: 'gunicorn shop.wsgi --bind 0.0.0.0:${PORT:-3000}',
  },
  'fastapi-uv': {
    files: {
      'pyproject.toml': '[project]\nname = "api"\nrequires-python = ">=3.10,<3.13"\ndependencies = ["fastapi>=0.115", "uvicorn"]\n',
      'uv.lock': '',
      'app/main.py': 'from fastapi import FastAPI\napi = FastAPI(title="x")\n',
    },
    title: 'FastAPI, uv, Python 3.12',
    start: 'uvicorn app.main:api --host 0.0.0.0 --port ${PORT:-3000}',
  },
  'flask-pipenv': {
    files: {
      Pipfile: '[packages]\nflask = "*"\n[requires]\npython_version = "3.11"\n',
      'Pipfile.lock': '{}',
      'app.py': 'app = Flask(__name__)\n',
    },
    title: 'Flask, pipenv, Python 3.11',
    start: 'gunicorn app:app --bind 0.0.0.0:${PORT:-3000}',
  },
  'python-script': { files: { 'main.py': 'print("hello")' }, title: 'pip, Python 3.13', start: 'python main.py' },
  'python-without-start': { files: { 'requirements.txt': 'requests\n' }, problem: 'Berth cannot tell how to start this Python project' },
  'python-wrong-version': { files: { 'main.py': '', '.python-version': '3.99\n' }, problem: '.python-version asks for Python "3.99"' },
  'go-main': {
    files: { 'go.mod': 'module x\n\ngo 1.23.4\n', 'go.sum': '', 'main.go': 'package main\n' },
    title: 'Go 1.23',
    start: '/app/app',
  },
  'go-cmd': {
    files: { 'go.mod': 'module x\n\ngo 1.24\n', 'cmd/server/main.go': 'package main\n', 'templates/index.html': '' },
    title: 'Go 1.24',
    start: '/app/app',
  },
  'go-several': {
    files: { 'go.mod': 'module x\n', 'cmd/one/main.go': 'package main\n', 'cmd/two/main.go': 'package main\n' },
    problem: 'There are several main packages (cmd/one, cmd/two)',
  },
  rails: {
    files: {
      Gemfile: "source 'https://rubygems.org'\nruby '3.3.6'\ngem 'rails', '~> 8'\n",
      'Gemfile.lock': '',
      'config.ru': '',
      'config/application.rb': '',
    },
    title: 'Rails, Ruby 3.3.6',
    start: 'bundle exec rails server -b 0.0.0.0',
  },
  rack: {
    files: { Gemfile: "gem 'sinatra'\n", 'config.ru': '', '.ruby-version': '3.4.1\n' },
    title: 'Rack, Ruby 3.4.1',
    start: 'bundle exec rackup --host 0.0.0.0 --port ${PORT:-3000}',
  },
  laravel: {
    files: {
      'composer.json': json({ require: { php: '^8.2', 'laravel/framework': '^12', 'ext-gd': '*' } }),
      'composer.lock': '{}',
      artisan: '',
      'public/index.php': '',
      'package.json': json({ scripts: { build: 'vite build' } }),
    },
    title: 'Laravel, PHP 8.4',
    start: 'apache2-foreground',
  },
  'php-plain': { files: { 'index.php': '<?php echo 1;' }, title: 'PHP 8.4', start: 'apache2-foreground' },
  'php-wrong-version': { files: { 'composer.json': json({ require: { php: '^9.0' } }) }, problem: 'matches no known version of PHP' },
  rust: {
    files: {
      'Cargo.toml': '[package]\nname = "shop-api"\nversion = "0.1.0"\n',
      'Cargo.lock': '',
      'src/main.rs': '',
      'migrations/1.sql': '',
    },
    title: 'Rust 1',
    start: '/app/shop-api',
  },
  'rust-library': { files: { 'Cargo.toml': '[package]\nname = "x"\n', 'src/lib.rs': '' }, problem: 'has no program to run' },
  'spring-maven': {
    files: { 'pom.xml': '<parent><artifactId>spring-boot-starter-parent</artifactId></parent><java.version>17</java.version>', mvnw: '' },
    title: 'Spring Boot, Maven, Java 17',
    start: 'java -XX:MaxRAMPercentage=75 -jar /app/app.jar',
  },
  gradle: {
    files: { 'build.gradle.kts': 'java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }' },
    title: 'Gradle, Java 21',
    start: 'java -XX:MaxRAMPercentage=75 -jar /app/app.jar',
  },
  aspnet: {
    files: {
      'Shop.sln': '',
      'src/Shop.Api/Shop.Api.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net8.0</TargetFramework></Project>',
      'src/Shop.Core/Shop.Core.csproj': '<Project Sdk="Microsoft.NET.Sdk"><TargetFramework>net8.0</TargetFramework></Project>',
    },
    title: 'ASP.NET Core, .NET 8.0',
    start: 'dotnet Shop.Api.dll',
  },
  phoenix: {
    files: { 'mix.exs': 'def project, do: [app: :shop, elixir: "~> 1.15"]\n{:phoenix, "~> 1.7"}\n"assets.deploy": []\n', 'mix.lock': '' },
    title: 'Phoenix, Elixir 1.18',
    start: '/app/bin/shop start',
  },
  deno: {
    files: { 'deno.json': json({ tasks: { start: 'deno run -A main.ts' } }), 'main.ts': '' },
    title: 'Deno 2',
    start: 'deno task start',
  },
  'procfile-wrong': {
    files: { 'main.py': '', Procfile: 'web node x\n' },
    problem: 'Line 1 of Procfile must be a name, a colon and a command',
  },
  'berth-json-no-json': {
    files: { 'index.html': '', 'berth.json': '{\n  "builder": static\n}' },
    problem: 'Line 2 of berth.json is not valid JSON',
  },
} as const satisfies Record<string, ProjectRow>
