import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../testing/harness/cpu-seconds.ts'
import { errorLines, outputSummary } from './error-lines.ts'

/** What was printed → the lines that say why. */
const LOGS: readonly [what: string, printed: string, says: string | readonly string[]][] = [
  [
    'Node.js, an error that nobody caught',
    `/app/server.js:3
  throw new Error('DATABASE_URL is not set')
  ^

Error: DATABASE_URL is not set
    at Object.<anonymous> (/app/server.js:3:9)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v24.1.0`,
    'Error: DATABASE_URL is not set',
  ],
  [
    'Node.js, a package that is not installed',
    `node:internal/modules/package_json_reader:267
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /app/server.js
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:267:9) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.1.0`,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /app/server.js",
  ],
  [
    'Node.js, an error before the one that ended it',
    `Error: redis is away, trying again
listening soon
TypeError: Cannot read properties of undefined (reading 'id')
    at boot (/app/boot.js:9:11)
Node.js v24.1.0`,
    "TypeError: Cannot read properties of undefined (reading 'id')",
  ],
  [
    'Node.js, syntax',
    `file:///app/index.js:12
const = 3
      ^

SyntaxError: Unexpected token '='
    at compileSourceTextModule (node:internal/modules/esm/utils:344:16)

Node.js v24.1.0`,
    "SyntaxError: Unexpected token '='",
  ],
  [
    'Python, a variable',
    `Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    url = os.environ["DATABASE_URL"]
          ~~~~~~~~~~^^^^^^^^^^^^^^^^
  File "<frozen os>", line 714, in __getitem__
KeyError: 'DATABASE_URL'`,
    "KeyError: 'DATABASE_URL'",
  ],
  [
    'Python, an error while another was handled',
    `Traceback (most recent call last):
  File "/app/db.py", line 9, in connect
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 4, in <module>
sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at "db", port 5432 failed`,
    'sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at "db", port 5432 failed',
  ],
  [
    'Python under gunicorn',
    `[2026-11-16 13:00:00 +0000] [1] [INFO] Starting gunicorn 23.0.0
[2026-11-16 13:00:00 +0000] [7] [ERROR] Exception in worker process
Traceback (most recent call last):
  File "/usr/lib/python3/gunicorn/arbiter.py", line 608, in spawn_worker
    worker.init_process()
ModuleNotFoundError: No module named 'wsgi'
[2026-11-16 13:00:00 +0000] [7] [INFO] Worker exiting (pid: 7)
[2026-11-16 13:00:01 +0000] [1] [ERROR] Shutting down: Master
[2026-11-16 13:00:01 +0000] [1] [ERROR] Reason: Worker failed to boot.`,
    "ModuleNotFoundError: No module named 'wsgi'",
  ],
  [
    'Django settings',
    `Traceback (most recent call last):
  File "/app/manage.py", line 22, in <module>
    main()
django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.`,
    'django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.',
  ],
  [
    'pydantic settings, which name the field in the next line',
    `Traceback (most recent call last):
  File "/app/settings.py", line 8, in <module>
pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings
DATABASE_URL
  Field required [type=missing, input_value={}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.11/v/missing`,
    'pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings DATABASE_URL Field required [type=missing, input_value={}, input_type=dict]',
  ],
  [
    'Go, a panic',
    `2026/11/16 13:00:00 starting
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
	/src/main.go:11 +0x1d
exit status 2`,
    'panic: runtime error: index out of range [5] with length 3',
  ],
  [
    'Go, log.Fatal',
    '2026/11/16 13:00:00 reading config\n2026/11/16 13:00:00 DATABASE_URL is required',
    '2026/11/16 13:00:00 DATABASE_URL is required',
  ],
  [
    'Go, a build',
    `# example.com/app
./main.go:9:2: undefined: fmtt
./main.go:12:7: declared and not used: x`,
    ['./main.go:9:2: undefined: fmtt', './main.go:12:7: declared and not used: x'],
  ],
  [
    'Rust, a panic',
    `thread 'main' panicked at src/main.rs:4:39:
DATABASE_URL must be set: NotPresent
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    'DATABASE_URL must be set: NotPresent',
  ],
  [
    'Rust, a panic of an older compiler',
    "thread 'main' panicked at 'DATABASE_URL must be set: NotPresent', src/main.rs:5:39\nnote: run with `RUST_BACKTRACE=1`",
    "thread 'main' panicked at 'DATABASE_URL must be set: NotPresent', src/main.rs:5:39",
  ],
  [
    'Rust, a build',
    `   Compiling app v0.1.0 (/app)
error[E0382]: borrow of moved value: \`name\`
 --> src/main.rs:5:20
For more information about this error, try \`rustc --explain E0382\`.
error: could not compile \`app\` (bin "app") due to 1 previous error`,
    'error[E0382]: borrow of moved value: `name`',
  ],
  [
    'Java, with causes',
    `Exception in thread "main" java.lang.RuntimeException: start failed
	at com.example.Main.main(Main.java:9)
Caused by: java.sql.SQLException: no pool
	at com.example.Pool.open(Pool.java:3)
	... 1 more
Caused by: java.net.UnknownHostException: db
	... 2 more`,
    'Caused by: java.net.UnknownHostException: db',
  ],
  [
    'Spring Boot',
    `***************************
APPLICATION FAILED TO START
***************************

Description:

Failed to configure a DataSource: 'url' attribute is not specified and no embedded datasource could be configured.

Reason: Failed to determine a suitable driver class`,
    "Failed to configure a DataSource: 'url' attribute is not specified and no embedded datasource could be configured.",
  ],
  [
    'Maven',
    `[INFO] BUILD FAILURE
[ERROR] COMPILATION ERROR :
[ERROR] /app/src/main/java/App.java:[10,5] cannot find symbol
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile
[ERROR] -> [Help 1]`,
    '[ERROR] /app/src/main/java/App.java:[10,5] cannot find symbol',
  ],
  [
    'Ruby',
    `bundler: failed to load command: puma (/usr/local/bundle/bin/puma)
/app/config/database.rb:3:in 'ENV.fetch': key not found: "DATABASE_URL" (KeyError)
	from /app/config.ru:1:in 'require_relative'`,
    `/app/config/database.rb:3:in 'ENV.fetch': key not found: "DATABASE_URL" (KeyError)`,
  ],
  [
    'PHP',
    `PHP Fatal error:  Uncaught Error: Class "Redis" not found in /app/index.php:3
Stack trace:
#0 {main}
  thrown in /app/index.php on line 3`,
    'PHP Fatal error:  Uncaught Error: Class "Redis" not found in /app/index.php:3',
  ],
  [
    '.NET',
    `Unhandled exception. System.InvalidOperationException: No connection string named 'Main'.
   at Program.<Main>$(String[] args) in /src/Program.cs:line 4`,
    "Unhandled exception. System.InvalidOperationException: No connection string named 'Main'.",
  ],
  [
    'Elixir',
    `** (RuntimeError) environment variable SECRET_KEY_BASE is missing.
    (stdlib 6.0) erl_eval.erl:904`,
    '** (RuntimeError) environment variable SECRET_KEY_BASE is missing.',
  ],
  [
    'TypeScript, under npm',
    `> app@1.0.0 build
> tsc

src/index.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/other.ts(9,1): error TS2304: Cannot find name 'foo'.
npm error Lifecycle script \`build\` failed with error:
npm error code 2
npm error path /app`,
    [
      "src/index.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "src/other.ts(9,1): error TS2304: Cannot find name 'foo'.",
    ],
  ],
  [
    'npm, a lock file',
    `npm error code EUSAGE
npm error
npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.
npm error
npm error Missing: left-pad@1.3.0 from lock file
npm error A complete log of this run can be found in: /root/.npm/_logs/x-debug-0.log`,
    'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
  ],
  [
    'npm, an older one, a script that is not there',
    `npm ERR! code ELIFECYCLE
npm ERR! missing script: start

npm ERR! A complete log of this run can be found in:
npm ERR!     /root/.npm/_logs/x-debug.log`,
    'npm ERR! missing script: start',
  ],
  [
    'npm, a program that is not installed',
    `> app@1.0.0 build
> vite build

sh: 1: vite: not found
npm error Lifecycle script \`build\` failed with error:
npm error code 127`,
    'sh: 1: vite: not found',
  ],
  [
    'pnpm',
    ` ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with package.json
Note that in CI environments this setting is true by default.`,
    'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with package.json',
  ],
  [
    'Yarn',
    `yarn install v1.22.22
[1/4] Resolving packages...
error Couldn't find package "left-padd@^1" required by "app@1.0.0" on the "npm" registry.
info Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command.`,
    'error Couldn\'t find package "left-padd@^1" required by "app@1.0.0" on the "npm" registry.',
  ],
  [
    'pip',
    `Collecting flaskk==9
ERROR: Could not find a version that satisfies the requirement flaskk==9 (from versions: none)
ERROR: No matching distribution found for flaskk==9
[notice] A new release of pip is available: 24.0 -> 25.0`,
    'ERROR: No matching distribution found for flaskk==9',
  ],
  ['apt', 'Reading package lists...\nE: Unable to locate package libfoo-dev', 'E: Unable to locate package libfoo-dev'],
  [
    'Vite',
    `vite v7.0.0 building for production...
\u001b[31merror during build:\u001b[39m
[vite]: Rollup failed to resolve import "chart.js" from "/app/src/main.ts".
    at viteWarn (file:///app/node_modules/vite/dist/node/chunks/dep.js:1:1)`,
    '[vite]: Rollup failed to resolve import "chart.js" from "/app/src/main.ts".',
  ],
  [
    'webpack',
    `ERROR in ./src/index.js 1:0-20
Module not found: Error: Can't resolve './missing' in '/app/src'
webpack 5.99.0 compiled with 1 error in 300 ms`,
    "Module not found: Error: Can't resolve './missing' in '/app/src'",
  ],
  ['an image of another architecture', 'exec /usr/local/bin/server: exec format error', 'exec /usr/local/bin/server: exec format error'],
  ['a script that is not executable', '/bin/sh: ./start.sh: Permission denied', '/bin/sh: ./start.sh: Permission denied'],
  [
    'nginx',
    `/docker-entrypoint.sh: Configuration complete; ready for start up
2026/11/16 13:00:00 [emerg] 1#1: host not found in upstream "api" in /etc/nginx/conf.d/default.conf:3
nginx: configuration file /etc/nginx/nginx.conf test failed`,
    '2026/11/16 13:00:00 [emerg] 1#1: host not found in upstream "api" in /etc/nginx/conf.d/default.conf:3',
  ],
  [
    'Prisma',
    `Error: Prisma schema validation - (get-config wasm)
Error code: P1012
error: Environment variable not found: DATABASE_URL.`,
    'error: Environment variable not found: DATABASE_URL.',
  ],
  [
    'a structured log',
    `{"level":30,"time":1,"msg":"starting"}
{"level":60,"time":2,"err":{"type":"Error","message":"connect ECONNREFUSED 10.0.0.2:5432"},"msg":"cannot start"}`,
    'connect ECONNREFUSED 10.0.0.2:5432',
  ],
  [
    'a logger in words',
    'time=2026-11-16T13:00:00Z level=info msg=hi\ntime=2026-11-16T13:00:01Z level=fatal msg="no config"',
    'time=2026-11-16T13:00:01Z level=fatal msg="no config"',
  ],
  [
    'a Compose variable',
    'The variable is checked\nMissing required environment variable: STRIPE_KEY\nbye',
    'Missing required environment variable: STRIPE_KEY',
  ],
]

describe('the lines that say why', () => {
  it.each(LOGS)('%s', (_, printed, says) => {
    expect(errorLines(printed.split('\n'))).toEqual([says].flat())
  })

  it('are told once when a container has said them at each of its starts', () => {
    expect(errorLines(['Error: no', 'Error: no', 'started', 'Error: no'])).toEqual(['Error: no'])
  })

  it('are at most three of a compiler, and none is endless', () => {
    const many = Array.from({ length: 50 }, (_, n) => `a.ts(${n},1): error TS1: ${'x'.repeat(1000)}`)
    const found = errorLines(many)
    expect(found).toHaveLength(3)
    expect(found[0]).toHaveLength(400)
  })

  it('are looked for in the beginning of a long line', () => {
    expect(errorLines([`${'x'.repeat(2000)}: Permission denied`])).toEqual([])
  })

  it.each([
    ['nothing', []],
    ['a greeting', ['hello', 'I cannot go on', 'compiled with 0 errors']],
  ])('are not made up: %s', (_, printed) => expect(errorLines(printed)).toEqual([]))
})

it('a sentence about an end has what says why, or else what was printed last', () => {
  expect(outputSummary(['a', 'Error: no database', '    at x'])).toBe(': Error: no database')
  expect(outputSummary(['1', '2', '3', '4', '5', '6'])).toBe('. Last output: 2 | 3 | 4 | 5 | 6')
  expect(outputSummary([' '])).toBe('. It printed nothing.')
})

it.each([
  ['names', 'A_A '.repeat(250)],
  ['words', 'no A_'.repeat(200)],
  ['digits', '1'.repeat(999)],
  ['places', 'a:1:in : '.repeat(110)],
])('two thousand long lines of %s are read soon', async (_, line) => {
  expect(await cpuSeconds(() => errorLines(Array<string>(2000).fill(line)))).toBeLessThan(1)
})
