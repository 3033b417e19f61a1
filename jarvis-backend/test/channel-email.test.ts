import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { authorityCertificate, borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import { systemClock } from 'node-kit/clock'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { email } from '../src/channels/adapters/email.ts'
import type { Outgoing } from '../src/channels/channel.ts'
import { settingsProblem } from '../src/channels/channel-settings.ts'
import { createSpeech } from '../src/channels/spoken.ts'
import { folder } from './support/data-dir.ts'

const say = createSpeech((text) => text)
const nobody = { user: '', chat: '' }
const { signal } = new AbortController()
const message = (more: Partial<Outgoing> = {}): Outgoing => ({
  id: 'out_1',
  at: 1,
  tag: 't',
  path: '/',
  level: 'card',
  title: say('Stop VM 103?'),
  lines: [say('It waits <b>until 09:15.')],
  link: 'https://jarvis.lan/waiting?card=a&b=1',
  buttons: [],
  isOver: false,
  expiresAt: 10,
  ...more,
})

/** A real mail server on loopback. */
async function start(options: SMTPServerOptions = {}) {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  const { port } = server.server.address() as AddressInfo
  const open = (more: Record<string, string> = {}) =>
    email.open(
      { URL: `smtp://127.0.0.1:${port}`, FROM: 'jarvis@home.lan', TO: 'mira@home.lan', ...more },
      { clock: systemClock, problem() {} },
    )
  return { mails, open, port }
}

test('a mail says what happened, and its one link opens the dashboard', async () => {
  const { mails, open } = await start()
  const channel = open()
  expect(await channel.deliver(message(), nobody, signal)).toEqual({ kind: 'sent' })
  await channel.deliver(message(), nobody, signal)
  const [first = '', second = ''] = mails
  expect(first).toContain('Subject: Stop VM 103?')
  expect(first).toContain('To: mira@home.lan')
  expect(first).toContain('Auto-Submitted: auto-generated')
  expect(first.replaceAll('=\r\n', '')).toContain('&lt;b&gt;until')
  expect(first.match(/https?:\/\/[^\s"<]+/g)?.every((link) => link.startsWith('https://jarvis.lan/waiting'))).toBe(true)
  const idOf = (mail: string) => /^Message-ID: (.*)$/m.exec(mail)?.[1]
  expect(idOf(second)).toBe(idOf(first))
  expect(await channel.health(signal)).toEqual({})
})

test('line ends in a title make no header', async () => {
  const { mails, open } = await start()
  await open().deliver(message({ title: say('Stop?\r\nBcc: evil@example.org') }), nobody, signal)
  expect(mails[0]?.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m)
})

test.each<[SMTPServerOptions, object]>([
  [
    { onRcptTo: (_a, _s, done) => done(Object.assign(new Error('Mailbox unknown'), { responseCode: 550 })) },
    { kind: 'failed', why: expect.stringContaining('550') },
  ],
  [
    { onRcptTo: (_a, _s, done) => done(Object.assign(new Error('Greylisted'), { responseCode: 450 })) },
    { kind: 'again', why: expect.stringContaining('450') },
  ],
  [{ onConnect: (_s, done) => done(Object.assign(new Error('Too busy'), { responseCode: 421 })) }, { kind: 'again' }],
])('a server that refuses (%#) is told of in its own words', async (options, expected) => {
  const { open } = await start(options)
  expect(await open().deliver(message(), nobody, signal)).toMatchObject(expected)
})

test('a wrong account fails, without its password in the words; a dead server is tried again', async () => {
  const { open } = await start({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => done(password === 'right' ? null : new Error('no'), { user: 'jarvis' }),
  })
  const refused = await open({ USER: 'jarvis', PASSWORD: 'planted-password' }).deliver(message(), nobody, signal)
  expect(refused).toMatchObject({ kind: 'failed' })
  expect(JSON.stringify(refused)).not.toContain('planted')
  expect(await open({ USER: 'jarvis', PASSWORD: 'right' }).deliver(message(), nobody, signal)).toEqual({ kind: 'sent' })
  expect(await open({ URL: 'smtp://127.0.0.1:1' }).deliver(message(), nobody, signal)).toMatchObject({ kind: 'again' })
})

test('a certificate that is not trusted is named, and its authority can be trusted', async () => {
  const certificate = await borrowCertificate()
  onTestFinished(() => returnCertificate(certificate))
  const { mails, open, port } = await start({ secure: true, key: certificate.key, cert: certificate.cert })
  const URL = `smtps://localhost:${port}`
  const untrusted = {
    kind: 'again',
    why: expect.stringMatching(
      /^its certificate is not trusted \(.+\): name .* as CA_FILE, or .* as FINGERPRINT\. .* is (?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/,
    ),
  }
  expect(await open({ URL }).deliver(message(), nobody, signal)).toEqual(untrusted)
  const CA_FILE = join(folder(), 'ca.pem')
  writeFileSync(CA_FILE, authorityCertificate())
  expect(await open({ URL, CA_FILE }).deliver(message(), nobody, signal)).toEqual({ kind: 'sent' })
  expect(mails).toHaveLength(1)
  const FINGERPRINT = new X509Certificate(certificate.cert).fingerprint256
  // For whichever name: the certificate is for localhost alone.
  for (const at of [URL, `smtps://127.0.0.1:${port}`])
    expect(await open({ URL: at, FINGERPRINT }).deliver(message(), nobody, signal)).toEqual({ kind: 'sent' })
  const other = FINGERPRINT.replace(/^../, (byte) => (byte === '00' ? '01' : '00'))
  expect(await open({ URL, FINGERPRINT: other }).deliver(message(), nobody, signal)).toMatchObject({
    kind: 'again',
    why: expect.stringContaining('another one than FINGERPRINT names'),
  })
  expect(mails).toHaveLength(3)
  expect(settingsProblem(email, { URL, FROM: 'a@b.c', TO: 'a@b.c', FINGERPRINT: 'AB:CD' })).toContain(
    'FINGERPRINT must be',
  )
  writeFileSync(CA_FILE, 'none')
  expect(settingsProblem(email, { URL, FROM: 'a@b.c', TO: 'a@b.c', CA_FILE })).toContain('CA_FILE must be a file')
})

test.each([
  ['URL', 'mail.lan'],
  ['URL', 'smtp://user:pass@mail.lan'],
  ['TO', 'mira@home.lan, ben@home.lan'],
  ['FROM', 'JARVIS <jarvis@home.lan>'],
])('%s cannot be %s', (name, value) => {
  const good = { URL: 'smtps://mail.lan', FROM: 'jarvis@home.lan', TO: 'mira@home.lan' }
  expect(settingsProblem(email, good)).toBeUndefined()
  expect(settingsProblem(email, { ...good, [name]: value })).toContain(`${name} must`)
})
