import { expect, it } from 'vitest'
import { run, startArgv, withSecrets, writeFile } from './dockerfile-text.ts'

it.each([
  ['node server.js --port 80', ['node', 'server.js', '--port', '80']],
  ['node a.js && node b.js', ['/bin/sh', '-c', 'node a.js && exec node b.js']],
  ['NODE_ENV=production node a.js', ['/bin/sh', '-c', 'exec env NODE_ENV=production node a.js']],
  ['gunicorn x --bind 0.0.0.0:${PORT:-80}', ['/bin/sh', '-c', 'exec gunicorn x --bind 0.0.0.0:${PORT:-80}']],
  ['cd app && exec ./run', ['/bin/sh', '-c', 'cd app && exec ./run']],
  ['a | b', ['/bin/sh', '-c', 'a | b']],
  ['sh -c "a && b"', ['/bin/sh', '-c', 'sh -c "a && b"']],
  ["a 'x' && b", ['/bin/sh', '-c', "a 'x' && exec b"]],
  ['while true; do x; done', ['/bin/sh', '-c', 'while true; do x; done']],
])('%s runs so that the program itself receives the stop signal', (command, argv) => {
  expect(startArgv(command)).toEqual(argv)
})

it.each(['--mount=type=cache,target=/x ls', '["a"]', 'cat <<EOF', 'ends in \\'])(
  '%s is passed to the shell, not interpreted by the builder',
  (command) => {
    expect(run(command)).toBe(`RUN ${JSON.stringify(['/bin/sh', '-c', command])}`)
  },
)

it('the shell writes a file unchanged', () => {
  expect(writeFile('/x', ["it's", '$HOME'])).toBe("RUN printf '%s\\n' \\\n  'it'\\''s' \\\n  '$HOME' \\\n  > /x")
})

it('build secrets become variables of every step that runs a command', () => {
  const read = 'export TOKEN="$(cat /run/secrets/TOKEN 2>/dev/null)" && '
  const mount = '--mount=type=secret,id=TOKEN '
  const text = ['FROM x', run('npm ci', ['target=/c']), run('["a"]'), writeFile('/x', ['y']), 'CMD ["node"]', ''].join('\n')
  expect(withSecrets(text, ['TOKEN', 'not-a-variable']).split('\n')).toEqual([
    'FROM x',
    `RUN --mount=type=cache,target=/c ${mount}${read}npm ci`,
    `RUN ${mount}${JSON.stringify(['/bin/sh', '-c', `${read}["a"]`])}`,
    ...writeFile('/x', ['y']).split('\n'),
    'CMD ["node"]',
    '',
  ])
  expect(withSecrets(text, ['not-a-variable'])).toBe(text)
})
