import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWith } from '../../../../scripts/test-with.js'
import { fingerprintOf, judgeHostKey, knownFor, parseKnownHosts } from './known-hosts.ts'

/** A key's outer form; nothing here looks further in. */
const keyOf = (type: string, content: string) => {
  const field = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)])
  return Buffer.concat([field(type), field(content)])
}
const ours = keyOf('ssh-ed25519', 'ours')
const other = keyOf('ssh-ed25519', 'other')
const rsa = keyOf('ssh-rsa', 'rsa')
const line = (names: string, key = ours, type = 'ssh-ed25519') => `${names} ${type} ${key.toString('base64')}`
const pve1 = { host: 'pve1.lan', port: 22 }
const odd = { host: 'pve1.lan', port: 2222 }

test.each([
  ['its name', pve1, line('pve1.lan')],
  ['its name, whatever the case', { host: 'PVE1.lan', port: 22 }, line('Pve1.LAN')],
  ['a comma list', pve1, line('10.0.4.11,pve1.lan')],
  ['a comment and tabs', pve1, `${line('pve1.lan').replaceAll(' ', '\t')} root@pve1`],
  ['a star', pve1, line('*.lan')],
  ['a question mark', pve1, line('pve?.lan')],
  ['its port', odd, line('[pve1.lan]:2222')],
  ['the host on port 22, the key being the same', odd, line('pve1.lan')],
  ['a line after ones that say nothing', pve1, `\n# pve1.lan\npve1.lan ssh-ed25519 ???\n${line('pve1.lan')}\r\n`],
  ['another type beside it', pve1, `${line('pve1.lan', rsa, 'ssh-rsa')}\n${line('pve1.lan')}`],
  ['IPv6', { host: 'fd00::11', port: 22 }, line('fd00::11')],
  ['IPv6 and a port', { host: 'fd00::11', port: 2222 }, line('[fd00::11]:2222')],
])('a host is known by %s', (_, address, text) => {
  expect(judgeHostKey(parseKnownHosts(text), address, ours)).toEqual({ verdict: 'known' })
})

test.each([
  ['nothing', pve1, ''],
  ['another host', pve1, line('pve2.lan')],
  ['a dot that is any sign', { host: 'pve1xlan', port: 22 }, line('pve1.lan')],
  ['a name it only begins with', { host: 'pve1.lan.evil', port: 22 }, line('pve1.lan')],
  ['a negated pattern', pve1, line('*.lan,!pve1.lan')],
  ['a negation alone', pve1, line('!pve2.lan')],
  ['another port', pve1, line('[pve1.lan]:2222')],
  ['a certificate authority', pve1, `@cert-authority ${line('pve1.lan')}`],
  ['a type that is not the key’s', pve1, line('pve1.lan', ours, 'ssh-rsa')],
  ['a comment', pve1, `#${line('pve1.lan')}`],
  ['a hash of an unknown kind', pve1, line('|2|AAAA|AAAA')],
  ['another key on port 22', odd, line('pve1.lan', other)],
])('a host is not known by %s', (_, address, text) => {
  expect(judgeHostKey(parseKnownHosts(text), address, ours)).toEqual({ verdict: 'unknown' })
})

test('another key than the known one is a changed key, also where the known one is of another type', () => {
  for (const known of [line('pve1.lan', other), line('pve1.lan', rsa, 'ssh-rsa')]) {
    expect(judgeHostKey(parseKnownHosts(known), pve1, ours)).toMatchObject({ verdict: 'changed', known: [{ line: 1 }] })
  }
})

test.each([
  ['before', (known: string, revoked: string) => `${revoked}\n${known}`, 1],
  ['after', (known: string, revoked: string) => `${known}\n${revoked}`, 2],
])('a key revoked %s it was known is revoked', (_, order, at) => {
  const entries = parseKnownHosts(order(line('pve1.lan'), `@revoked ${line('*')}`))
  expect(judgeHostKey(entries, pve1, ours)).toEqual({ verdict: 'revoked', line: at })
  expect(judgeHostKey(entries, odd, ours)).toEqual({ verdict: 'revoked', line: at })
  expect(judgeHostKey(entries, pve1, other)).toMatchObject({ verdict: 'changed', known: [{ isRevoked: false }] })
})

testWith('ssh-keygen')('names that ssh-keygen hashed are found, with and without port', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-hosts-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'known_hosts')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, 'key')])
  const real = readFileSync(join(dir, 'key.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
  writeFileSync(path, `pve1.lan ${real}\n[10.0.4.12]:2222 ${real}\n`)
  execFileSync('ssh-keygen', ['-q', '-H', '-f', path], { stdio: 'ignore' })
  const text = readFileSync(path, 'utf8')
  const key = Buffer.from(real.split(' ')[1] ?? '', 'base64')

  expect(text).not.toContain('pve1')
  const entries = parseKnownHosts(text)
  expect(judgeHostKey(entries, pve1, key)).toEqual({ verdict: 'known' })
  expect(judgeHostKey(entries, { host: '10.0.4.12', port: 2222 }, key)).toEqual({ verdict: 'known' })
  expect(judgeHostKey(entries, { host: '10.0.4.12', port: 22 }, key)).toEqual({ verdict: 'unknown' })
  expect(knownFor(entries, pve1)).toHaveLength(1)
  expect(execFileSync('ssh-keygen', ['-lf', join(dir, 'key.pub')], { encoding: 'utf8' })).toContain(fingerprintOf(key))
})
