/** LIST of patterns that the guard would refuse, and why users cannot make their input long. */
export const slowButShort = [
  {
    file: 'packages/contract/src/dotenv.ts',
    pattern: 'new RegExp(ENV_KEY)',
    because: 'it is analysed where it is the pattern of a schema',
  },
  {
    file: 'packages/server/src/git-hosts/answers.ts',
    pattern: 'REPOSITORY_NAME',
    because: 'it is analysed where it is the pattern of a schema, and is tested with at most 500 characters',
  },
  {
    file: 'packages/server/src/features/apps/source-files.ts',
    pattern: 'new RegExp(REPOSITORY_PATH)',
    because: 'it is analysed where it is the pattern of a schema',
  },
  {
    file: 'packages/server/src/engine/build/path-pattern.ts',
    pattern: 'new RegExp(',
    because: 'it is one class, and is tested with one character',
  },
  {
    file: 'packages/server/src/features/deployments/release/rename-images.ts',
    pattern: 'GUESSABLE_IMAGE_NAME',
    because: 'it is analysed in its own file, and reads files that only Berth writes',
  },
  { file: 'packages/server/src/http/not-found.ts', pattern: 'new RegExp(', because: 'each part of a path ends at a slash' },
  { file: 'packages/server/src/http/websocket.ts', pattern: 'new RegExp(', because: 'each part of a path ends at a slash' },
  {
    file: 'packages/server/src/edge/haproxy/certificates.ts',
    pattern: '-----BEGIN',
    because: 'certificates come from the authority that the owner chose',
  },
  { file: 'packages/server/src/edge/haproxy/commands.ts', pattern: '(?:\\[.*\\] )?', because: 'one line that HAProxy writes' },
  { file: 'packages/server/src/edge/haproxy/runtime.ts', pattern: 'found=yes', because: 'one line that HAProxy writes' },
  { file: 'packages/server/src/features/metrics/machine.ts', pattern: '([^:\\s]+):', because: 'the kernel writes it' },
  { file: 'packages/server/src/git/git-version.ts', pattern: '(\\d+)', because: 'git writes it' },
  { file: 'packages/server/src/lib/address-kinds.ts', pattern: '(\\d+)\\.(\\d+)', because: 'only an IPv6 address comes there' },
]
