import { args, cmd, dockerfile, run, startArgv, writeFile } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, jsonIn, nameIn, type Project, recordIn, textIn } from '../project.ts'
import { plainPlan, type Version } from './plain-plan.ts'

const KNOWN = ['8.4', '8.5', '8.3', '8.2', '8.1', '8.0', '7.4']

const LONGEST_RANGE = 200

export function detectPhp(project: Project, input: BuildInput): DetectedPlan | null {
  const hasComposer = project.has('composer.json')
  if (!hasComposer && !project.has('index.php') && !project.has('public/index.php')) return null
  const json = hasComposer ? jsonIn(project, 'composer.json') : {}
  const required = recordIn(json['require'])
  const version = phpVersion(project, textIn(required['php']))
  const framework = project.has('artisan') ? 'Laravel' : Object.hasOwn(required, 'symfony/framework-bundle') ? 'Symfony' : undefined
  const { overrides } = input
  const port = input.port ?? 8080
  const install = chosen(
    overrides.install,
    hasComposer ? 'composer install --no-dev --no-interaction --no-autoloader --no-scripts' : '',
    nameIn(project, 'composer.json'),
  )
  const start = chosen(overrides.start, 'apache2-foreground', 'the image')
  const assets = project.has('package.json') && project.read('package.json').includes('"build"')
  const build = chosen(overrides.build, assets ? 'npm run build' : '', nameIn(project, 'package.json'))
  return plainPlan(project, input, {
    kind: 'php',
    title: [...(framework === undefined ? [] : [framework]), `PHP ${version.version}`].join(', '),
    files: ['composer.json', 'composer.lock', 'artisan', 'index.php', 'public/index.php'],
    versions: [version],
    commands: { install, build, start },
    dockerfile: dockerfile(
      build.text === '' ? [] : assetStage(project, input, build.text),
      serverStage(project, { version: version.version, extensions: extensionsOf(required, framework), install: install.text }, [
        ...(build.text === '' ? [] : ['COPY --from=assets --chown=www-data:www-data /app/public public']),
        ...(install.text === '' || !hasComposer ? [] : [run('composer dump-autoload --no-dev --optimize --no-scripts')]),
        ...(framework === 'Laravel' ? [run(LARAVEL_FOLDERS)] : []),
        `ENV PORT=${port}`,
        'USER www-data',
        `EXPOSE ${port}`,
        'STOPSIGNAL SIGWINCH',
        cmd(startArgv(start.text)),
      ]),
    ),
  })
}

const LARAVEL_FOLDERS =
  'mkdir -p storage/framework/cache storage/framework/sessions storage/framework/views bootstrap/cache && chown -R www-data:www-data storage bootstrap/cache'

function assetStage(project: Project, input: BuildInput, build: string): string[] {
  return [
    'FROM node:24-slim AS assets',
    'WORKDIR /app',
    'COPY . .',
    ...args(input.buildArgs),
    run(project.has('package-lock.json') ? 'npm ci' : 'npm install', ['target=/root/.npm']),
    run(build),
  ]
}

type Server = { readonly version: string; readonly extensions: readonly string[]; readonly install: string }

function serverStage(project: Project, { version, extensions, install }: Server, last: readonly string[]): string[] {
  const root = project.has('public/index.php') ? '/app/public' : '/app'
  const installer = 'COPY --from=mlocati/php-extension-installer:2 /usr/bin/install-php-extensions /usr/local/bin/'
  return [
    `FROM php:${version}-apache`,
    ...(extensions.length === 0 ? [] : [installer, run(`install-php-extensions ${extensions.join(' ')}`)]),
    writeFile('/etc/apache2/ports.conf', ['Listen ${PORT}']),
    writeFile('/etc/apache2/sites-available/000-default.conf', [
      '<VirtualHost *:${PORT}>',
      `  DocumentRoot ${root}`,
      `  <Directory ${root}>`,
      '    AllowOverride All',
      '    Require all granted',
      '    FallbackResource /index.php',
      '  </Directory>',
      '  ErrorLog /dev/stderr',
      '  CustomLog /dev/stdout combined',
      '</VirtualHost>',
    ]),
    run('a2enmod rewrite'),
    'WORKDIR /app',
    ...(install === ''
      ? []
      : [
          'COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer',
          ...copied(['composer.json', 'composer.lock'].filter(project.has)),
          run(install, ['target=/root/.composer/cache']),
        ]),
    'COPY --chown=www-data:www-data . .',
    ...last,
  ]
}

/** A command of the settings may install without either. */
function copied(files: readonly string[]): string[] {
  return files.length === 0 ? [] : [`COPY ${files.join(' ')} ./`]
}

function extensionsOf(required: Readonly<Record<string, unknown>>, framework: string | undefined): string[] {
  const named = Object.keys(required).flatMap((name) => /^ext-([a-z0-9_]{2,30})$/.exec(name)?.[1] ?? [])
  const usual = framework === undefined ? [] : ['intl', 'opcache', 'pdo_mysql', 'pdo_pgsql', 'zip']
  const included = [
    'ctype',
    'curl',
    'dom',
    'fileinfo',
    'filter',
    'hash',
    'iconv',
    'json',
    'libxml',
    'mbstring',
    'openssl',
    'pcre',
    'pdo',
    'session',
    'simplexml',
    'tokenizer',
    'xml',
    'xmlwriter',
    'xmlreader',
  ]
  return [...new Set([...usual, ...named])].filter((name) => !included.includes(name)).toSorted()
}

function phpVersion(project: Project, range: string): Version {
  if (range === '' || range === '*') return { name: 'PHP', version: KNOWN[0] ?? '', from: 'the default' }
  const from = `require.php in ${nameIn(project, 'composer.json')}`
  const sets = range
    .slice(0, LONGEST_RANGE)
    .split('|')
    .filter((part) => part.trim() !== '')
  const fits = (version: string) =>
    sets.some((set) =>
      set
        .trim()
        .split(/[ ,]+/)
        .every((word) => isMet(word, version)),
    )
  const version = KNOWN.find(fits)
  if (version === undefined)
    throw new BuildProblem(
      `${from} is "${range.slice(0, 60)}", which matches no known version of PHP. Use one such as ^8.2, then deploy again.`,
    )
  return { name: 'PHP', version, from }
}

function isMet(word: string, version: string): boolean {
  const match = /^(>=|<=|<|>|\^|~|=)?v?(\d+)(?:\.(\d+|\*))?(?:\.(?:\d+|\*))?$/.exec(word)
  if (match === null) return false
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const wanted = [Number(match[2]), match[3] === undefined || match[3] === '*' ? 0 : Number(match[3])] as const
  const difference = major - wanted[0] || minor - wanted[1]
  switch (match[1] ?? '') {
    case '>=':
      return difference >= 0
    case '>':
      return difference > 0
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '^':
      return major === wanted[0] && difference >= 0
    case '~':
      return major === wanted[0] && difference >= 0
    default:
      return match[3] === '*' || match[3] === undefined ? major === wanted[0] : difference === 0
  }
}
