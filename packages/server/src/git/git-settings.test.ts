import { describe, expect, it } from 'vitest'
import { parseCloneUrl } from './clone-url.ts'
import { failureOf } from './git-failure.ts'
import { gitEnvironment, gitSettings } from './git-settings.ts'

function url(text: string) {
  const parsed = parseCloneUrl(text)
  if (parsed === null) throw new Error(`not a clone URL: ${text}`)
  return parsed
}

describe('the environment of git', () => {
  const at = (text: string) =>
    gitEnvironment({ home: '/h', path: '/bin', url: url(text), credential: { host: 'host.test', username: 'u', password: 'secret' } })

  it('is exactly this, and allows the one protocol that was looked at', () => {
    expect(gitEnvironment({ home: '/h', path: '/bin', url: url('https://host.test/r') })).toEqual({
      GIT_ALLOW_PROTOCOL: 'https',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
      HOME: '/h',
      PATH: '/bin',
      LC_ALL: 'C',
    })
  })

  it('carries a credential for its own host over https, and nowhere else', () => {
    expect(at('https://host.test:8443/r')['GIT_CONFIG_KEY_0']).toBe('http.https://host.test:8443/.extraHeader')
    for (const other of ['http://host.test/r', 'https://other.test/r', 'https://host.test.evil.test/r', 'ssh://git@host.test/r']) {
      expect(JSON.stringify(at(other))).not.toContain('CONFIG_COUNT')
    }
  })

  it('never puts a credential, a hook or a redirect into the arguments', () => {
    const args = gitSettings({ url: url('https://host.test/r'), address: '2001:db8::1' })
    expect(args).toContain('core.hooksPath=/dev/null')
    expect(args).toContain('http.followRedirects=false')
    expect(args).toContain('protocol.allow=never')
    expect(args).toContain('protocol.https.allow=always')
    expect(args).toContain('http.curloptResolve=host.test:443:[2001:db8::1]')
    expect(args.join(' ')).not.toContain('secret')
  })

  it('pins ssh to the vetted address, and takes no other text into its command', () => {
    const args = gitSettings({ url: url('git@host.test:o/r'), address: '192.0.2.7' })
    expect(args.at(-1)).toMatch(/^core\.sshCommand=ssh .*BatchMode=yes.* -o HostKeyAlias=host\.test -o HostName=192\.0\.2\.7$/)
    expect(() => gitSettings({ url: url('git@host.test:o/r'), address: '$(id)' })).toThrow('vetted')
  })
})

describe('what git says', () => {
  it.each([
    ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'RepositoryNeedsCredentials', false],
    ["fatal: Authentication failed for 'https://x/'", 'RepositoryNeedsCredentials', false],
    ['git@x: Permission denied (publickey).', 'RepositoryNeedsCredentials', false],
    ["fatal: unable to access 'http://x/': The requested URL returned error: 301", 'SourceRefused', false],
    ["fatal: transport 'file' not allowed", 'SourceRefused', false],
    ["fatal: repository 'http://x/r.git/' not found", 'RepositoryUnreachable', false],
    ["fatal: unable to access 'http://x/': Could not resolve host: x", 'RepositoryUnreachable', true],
    ['error: RPC failed; curl 28 Operation too slow. Less than 1000 bytes/sec', 'RepositoryUnreachable', true],
    ["fatal: unable to access 'http://x/': Connection reset by peer", 'RepositoryUnreachable', true],
    ["fatal: unable to access 'http://x/': The requested URL returned error: 503", 'RepositoryUnreachable', true],
    ['fatal: remote error: upload-pack: not our ref aaaa', 'CommitMissing', false],
    ['fatal: write error: No space left on device', 'SourceError', false],
    ['something new', 'SourceError', false],
  ])('%s is told as %s', (stderr, name, isTransient) => {
    expect(failureOf(stderr)).toMatchObject({ name, isTransient })
  })
})
