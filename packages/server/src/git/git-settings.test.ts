import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseCloneUrl } from './clone-url.ts'
import { createFailureReader } from './git-failure.ts'
import { gitEnvironment, gitSettings } from './git-settings.ts'
import { sshConfig } from './ssh.ts'

function url(text: string) {
  const parsed = parseCloneUrl(text)
  if (parsed === null) throw new Error(`not a clone URL: ${text}`)
  return parsed
}

describe('the environment of git', () => {
  const at = (text: string) =>
    gitEnvironment({
      home: '/h',
      path: '/bin',
      url: url(text),
      credential: { host: 'host.test', port: 8443, username: 'u', password: 'secret', whenRefused: '' },
    })

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
    const others = [
      'http://host.test:8443/r',
      'https://other.test:8443/r',
      'https://host.test.evil.test:8443/r',
      'ssh://git@host.test:8443/r',
    ]
    for (const other of [...others, 'https://host.test/r', 'https://host.test:8444/r']) {
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

  it('pins ssh to the checked address, and puts no other text into its settings', () => {
    const args = gitSettings({ url: url('git@host.test:o/r'), address: '192.0.2.7' })
    expect(args.at(-1)).toBe('protocol.ssh.allow=always')
    expect(args.join(' ')).not.toContain('sshCommand')
    const config = sshConfig({ home: '/a b/100%', address: '192.0.2.7', isPinned: true })
    expect(config).toMatch(/^HostName 192\.0\.2\.7\n/)
    expect(config).toContain('\nStrictHostKeyChecking yes\n')
    expect(config).toContain('\nIdentityFile "/a b/100%%/key"\n')
    expect(() => sshConfig({ home: '/h', address: '$(id)', isPinned: true })).toThrow('vetted')
    expect(() => sshConfig({ home: '/h"\nProxyCommand id', address: '192.0.2.7', isPinned: true })).toThrow('path')
  })
})

/** Every spelling that we know of a host, and the one that it must become wherever it is judged, pinned and asked. */
describe('the name that is pinned is the name that git is given', () => {
  const nameIn = (href: string) => /^[a-z]+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?\//.exec(href)

  it.each([
    ['https://host.test/r', 'host.test', 443],
    ['https://host.test./r', 'host.test', 443],
    ['https://HOST.Test./r', 'host.test', 443],
    ['https://host.test:443/r', 'host.test', 443],
    ['https://host.test.:0443/r', 'host.test', 443],
    ['https://@host.test./r', 'host.test', 443],
    ['http://host.test.:443/r', 'host.test', 443],
    ['http://host.test.:8080/r', 'host.test', 8080],
    ['http://h%6fst.test%2e/r', 'host.test', 80],
    ['http://host\uff0etest\u3002/r', 'host.test', 80],
    ['http://b\u00fccher.test./r', 'xn--bcher-kva.test', 80],
    ['http://XN--BCHER-KVA.test/r', 'xn--bcher-kva.test', 80],
    ['http://\u24d7ost.test/r', 'host.test', 80],
    ['http://localhost./r', 'localhost', 80],
    ['http://127.0.0.1./r', '127.0.0.1', 80],
    ['http://0x7f.1./r', '127.0.0.1', 80],
    ['http://[0:0::1]:3000/r', '::1', 3000],
    ['http://[::ffff:127.0.0.1]/r', '::ffff:7f00:1', 80],
    ['ssh://git@HOST.test./r', 'host.test', 22],
    ['ssh://git@host.test.:0022/r', 'host.test', 22],
    ['ssh://git@[::FFFF:127.0.0.1]:2222/r', '::ffff:7f00:1', 2222],
    ['git@HOST.test.:o/r', 'host.test', 22],
  ])('%s', (text, host, port) => {
    const parsed = url(text)
    const [, name, shownPort = `${port}`] = nameIn(parsed.href) ?? []
    expect(parsed).toMatchObject({ host, port })
    expect([name, Number(shownPort)]).toEqual([host.includes(':') ? `[${host}]` : host, port])
    const pins = gitSettings({ url: parsed, address: '192.0.2.7' }).join(' ')
    const http = isIP(host) === 0 ? `http.curloptResolve=${host}:${port}:192.0.2.7` : '' // an address has nothing to be looked up
    expect(pins).toContain(parsed.kind === 'ssh' ? '' : http)
  })

  it.each([
    'https://host.test../r',
    'https://./r',
    'http://[fe80::1%25eth0]/r',
    'ssh://git@h%6fst.test/r',
    'ssh://git@b\u00fccher.test/r',
    'ssh://git@host.test/x%40%5bother.test%5d:99/r',
    'git@host.test:x%40%5Bother.test%5D/r',
    'git@[host.test]:o/r',
    'git@[192.0.2.7]:o/r',
    'https://host.test@other.test/r',
    'https://host.test%00.other.test/r',
  ])('%s is not taken', (text) => {
    expect(parseCloneUrl(text)).toBeNull()
  })
})

describe('what git says', () => {
  const failureOf = (stderr: string, pieceBytes = stderr.length) => {
    const reader = createFailureReader()
    const bytes = Buffer.from(stderr)
    for (let at = 0; at < bytes.length; at += pieceBytes) reader.add(bytes.subarray(at, at + pieceBytes))
    return reader.failure()
  }

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
  ])('%s becomes %s', (stderr, name, isTransient) => {
    expect(failureOf(stderr)).toMatchObject({ name, isTransient })
  })

  it.each([
    ['a line', 'remote: fatal: upload-pack: not our ref\n'],
    ['many lines', 'remote: authentication failed\n'.repeat(10_000)],
    ['a line that is longer than what is kept', `remote: ${'redirect '.repeat(20_000)}\n`],
    ['a carriage return', 'remote: x\rfatal: not our ref\n'],
  ])('the server cannot choose the message: %s', (_, said) => {
    const own = "fatal: unable to access 'https://x/': The requested URL returned error: 503"
    for (const stderr of [said + own, `${own}\n${said}`])
      for (const pieceBytes of [7, 65_536, stderr.length])
        expect(failureOf(stderr, pieceBytes)).toMatchObject({ name: 'RepositoryUnreachable', isTransient: true })
  })

  it.each(['redirect', 'timeout', 'not-our-ref-authentication failed', 'x'.repeat(2000)])(
    'nor does the name of the repository: %s',
    (name) => {
      const stderr = `fatal: unable to access 'https://x/${name}/': The requested URL returned error: 404`
      expect(failureOf(stderr).message).toContain('No repository was found')
    },
  )

  it('takes time that grows with the length of the text, not with its square', () => {
    // What took minutes with a pattern that looks back from each of its beginnings; the test's own deadline is the limit.
    for (const unit of ["transport '", "repository '", "protocol '", "'a://"])
      for (let n = 0; n < 50; n += 1) expect(failureOf(`fatal: remote error: ${unit.repeat(20_000)}`).name).toBe('SourceError')
  })
})
