/** How programs say what went wrong. */
export type ErrorRule = {
  readonly says: RegExp
  /** For a compiler the first error counts, because it often causes the others; for a program the last one. */
  readonly which: 'first' | 'last'
  /** Where the message is, if not in the line itself: in the next line, or in the next one that is not indented. */
  readonly words?: 'next' | 'unindented'
  /** A compiler lists its errors, and three of them are shown. */
  readonly isList?: true
}

const decisive: readonly ErrorRule[] = [
  { says: /exec format error/i, which: 'last' },
  { says: /no space left on device|\bENOSPC\b/i, which: 'last' },
  { says: /^exec .+: (?:no such file or directory|permission denied)$/i, which: 'last' },
  { says: /^error: Environment variable not found: /, which: 'last' }, // Prisma
]

const compilers: readonly ErrorRule[] = [
  { says: /\berror TS\d+: /, which: 'first', isList: true },
  { says: /^error\[E\d+\]: /, which: 'first', isList: true },
  { says: /: error [A-Z]{2,4}\d+: /, which: 'first', isList: true }, // C#, F#, MSBuild
  { says: /^\S+\.go:\d+:\d+: /, which: 'first', isList: true },
  { says: /\.(?:c|cc|cpp|cxx|h|hpp|swift|zig):\d+:\d+: (?:fatal )?error: /, which: 'first', isList: true },
  { says: /\.java:\d+: error: |^\[ERROR\] \S+\.(?:java|kt|scala):\[\d+|^e: .+\.kts?:/, which: 'first', isList: true },
  { says: /^\W*\[ERROR\] (?!Failed to execute goal|Re-run|To see|For more|->|$)/, which: 'first', isList: true },
  { says: /^error during build:$|^\* What went wrong:$/, which: 'first', words: 'next' },
  { says: /^Module not found: |^Type error: |Rollup failed to resolve import/, which: 'first', isList: true },
]

const deaths: readonly ErrorRule[] = [
  { says: /^Traceback \(most recent call last\):/, which: 'last', words: 'unindented' },
  { says: /^Description:$/, which: 'last', words: 'next' }, // Spring Boot
  { says: /^Caused by: /, which: 'last' },
  { says: /^Exception in thread ".*" /, which: 'last' },
  { says: /^thread '[^']*' (?:\(\d+\) )?panicked at .+:$/, which: 'last', words: 'next' },
  { says: /^thread '.*' panicked at '|^panic: |^fatal error: /, which: 'last' },
  { says: /^(?:PHP )?(?:Fatal|Parse) error: /, which: 'last' },
  { says: /^\S+:\d+:in .+ \([\w:]+\)$/, which: 'last' }, // Ruby
  { says: /^\*\* \([\w.]+\) /, which: 'last' }, // Elixir
  { says: /^Unhandled exception\. /, which: 'last' },
  { says: /^(?:Uncaught )?(?:[A-Za-z_$][\w.$:]*)?(?:Error|Exception|ImproperlyConfigured)(?: \[\w+\])?: \S/, which: 'last' },
]

const packageManagers: readonly ErrorRule[] = [
  { says: /^npm (?:ERR!|error) /, which: 'first' },
  { says: /\bERR_PNPM_\w+/, which: 'first' },
  { says: /^➤ YN\d+: .*(?:✖|can't|couldn't|would have been|not found)/i, which: 'first' },
  { says: /^error (?:An |Couldn't |Your |The |[a-z@].*: )/, which: 'first' }, // Yarn 1
  { says: /^Could not find (?:gem|compatible versions)|^Bundler could not find|^Your bundle /, which: 'first' },
  { says: /^Your requirements could not be resolved|^ +- Root composer\.json requires /, which: 'last' },
  { says: /^E: (?!Sub-process)/, which: 'first' }, // apt
]

const shells: readonly ErrorRule[] = [
  { says: /: (?:command )?not found$|: not found in \$PATH|can't open '/i, which: 'last' },
  { says: /permission denied|operation not permitted/i, which: 'last' },
  { says: /: No such file or directory$/, which: 'last' },
]

const NAME = '[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+'
const ABSENT = 'not set|unset|must be set|required|missing|undefined|not found|not defined|empty'
const anyProgram: readonly ErrorRule[] = [
  { says: new RegExp(`\\b(?:${NAME}|[Ee]nvironment variable)\\b.{0,200}\\b(?:${ABSENT})\\b`), which: 'last' },
  { says: new RegExp(`\\b(?:missing|required|requires|no|set)\\b.{0,200}\\b${NAME}\\b`), which: 'last' },
  { says: /^\{.*"(?:level|severity)":\s*(?:"(?:error|fatal|critical)"|[56]0)\b/i, which: 'last' },
  { says: /\blevel=(?:error|fatal|panic)\b/i, which: 'last' },
  {
    says: /^(?:\[?[\d:TZ.,/ +-]{6,40}\]? {0,4})?(?:[\w.-]{1,60} )?[[(<]?(?:fatal|error|critical|emerg|panic)[\])>]?(?::| - |\s|\])\s{0,9}\S/i,
    which: 'last',
  },
  { says: /address already in use|\bE(?:ADDRINUSE|ACCES|CONNREFUSED|NOTFOUND|NOENT|PERM)\b|connection refused/i, which: 'last' },
  { says: /^(?:Cannot|Could not|Unable to|Failed to|Invalid|Missing|Unknown) /i, which: 'last' },
]

/** The most telling first. */
export const ERROR_RULES: readonly ErrorRule[] = [...decisive, ...compilers, ...deaths, ...packageManagers, ...shells, ...anyProgram]

const NPM = '^npm (?:ERR!|error)'
/** Lines of the same form that say only that something went wrong, or where more is written. */
export const NOISE = new RegExp(
  [
    `${NPM}\\s*$`,
    `${NPM} (?:code|errno|path|command|syscall|signal|workspace|location|cwd|dest|file|node -v|npm +-v)\\b`,
    `${NPM} (?:A complete log|Lifecycle script|Exit status|Failed at the|This is probably not|Exit handler|There is likely|If you|@?[^\\s@]+@\\S+ \\S+: \`)`,
    `${NPM} +/`,
    'ELIFECYCLE|ERR_PNPM_RECURSIVE_RUN',
    '^error Command failed',
    '^error(?:\\[E\\d+\\])?: (?:could not compile|aborting due to|build failed|process didn)',
    'HaltServer|^SystemExit',
    '^\\[ERROR\\]\\s*$|COMPILATION ERROR',
    '^ERROR: (?:Service|failed to (?:solve|build))',
    '\\b(?:0|no) errors?\\b',
  ].join('|'),
  'i',
)
