import fc from 'fast-check'
import { createRedactor } from 'redaction/redact'
import { createStreamRedactor } from 'redaction/stream'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../scripts/cpu-ms.ts'
import { runs } from '../../scripts/property-runs.ts'

const uuid = '8f14e45f-ceea-467f-a8b6-1234567890ab'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvcGVyYXRvciJ9.c2lnbmF0dXJlLXRoaW5n'
const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAA'.repeat(20)}\n-----END OPENSSH PRIVATE KEY-----`
const secret = 'Zz9+kd/Q2 pass#1'
const redactor = createRedactor([secret, 'tiny', 'cluster-token-value-77'])

/** Text, and what of it must be gone. */
const leaks: [string, string][] = [
  [key, 'b3BlbnNz'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow cut off here', 'MIIEow'],
  ['-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY----- after', 'MIIEow'],
  ['id AKIAIOSFODNN7EXAMPLE.', 'AKIAIOSFODNN7EXAMPLE'],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'wJalr'],
  ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI', 'wJalr'],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '16C7e42F'],
  ['url https://x/?t=github_pat_11ABCDEFG0abcdefghijkl_x', '11ABCDEFG0'],
  ['glpat-abcdefGHIJKL12345678', 'abcdefGHIJKL'],
  ['xoxb-123456789012-abcdefghijkl', '123456789012'],
  ['sk-ant-api03-AbCdEfGh_12-345678', 'AbCdEfGh'],
  ['key sk-proj-abcDEF1234567890abcd', 'abcDEF123'],
  ['sk-abcdEFGH1234567890abcd', 'abcdEFGH'],
  ['sk_live_abcdefgh12345678', 'abcdefgh12345678'],
  [`seen ${jwt} in a log`, 'eyJzdWIi'],
  [`PVEAPIToken=root@pam!jarvis=${uuid}`, uuid],
  [`Authorization: PVEAPIToken=root@pam!jarvis=${uuid}`, uuid],
  [`PBSAPIToken=u@pbs!x:${uuid}`, uuid],
  [`token root@pam!jarvis=${uuid} works`, uuid],
  ['Authorization: Bearer abc', 'abc'],
  ['authorization: basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['{"Authorization":"Bearer abc.def"}', 'abc.def'],
  ['curl -H "Authorization: Bearer a1b2c3"', 'a1b2c3'],
  ['bearer 0123456789abcdef0123', '0123456789abcdef'],
  ['postgres://app:hunter2@db:5432/x', 'hunter2'],
  ['https://user:p@ss@host/path', 'p@ss'],
  ['redis://:hunter2@10.0.0.1', 'hunter2'],
  ['password=hunter2', 'hunter2'],
  ['passwd: hunter2', 'hunter2'],
  ['DB_PASSWORD="hun ter2"', 'hun ter2'],
  ["secret='abc def'", 'abc def'],
  ['token=abc123def456', 'abc123def456'],
  ['?token=abc123def456&vmid=101', 'abc123def456'],
  ['api_key=A1b2C3d4', 'A1b2C3d4'],
  ['X-Api-Key: A1b2C3d4', 'A1b2C3d4'],
  ['{"password": "hunter2", "user": "bob"}', 'hunter2'],
  ['{"password":"a\\"b hunter2"}', 'hunter2'],
  ['{\\"password\\":\\"hunter2\\"}', 'hunter2'],
  ['password: correct horse battery', 'horse'],
  ['  - db_password: hunter2  # prod', 'hunter2'],
  ['cipassword: $5$abc$def', '$5$abc'],
  ['mysqld --password hunter2 --port 1', 'hunter2'],
  ['mysqld --password=hunter2 --port 1', 'hunter2'],
  ['password=YWJjZGVmZw==', 'YWJj'],
  ['client_secret := "abc"', 'abc'],
  ['wpa-psk: letmein99', 'letmein99'],
  ['Server=x;Password=hunter2;Port=1', 'hunter2'],
  ['//nas/x /mnt cifs username=u,password=hunter2,uid=0', 'hunter2'],
  ['PVEAuthCookie=PVE:root@pam:66A1B2C3::abcdefghijklmnopqrst==', 'abcdefghij'],
  ['ticket PVE:root@pam:66A1B2C3::abcdefghijklmnopqrst==', 'abcdefghij'],
  ['Cookie: session=abcdef; theme=dark', 'abcdef'],
  ['Set-Cookie: sid=abcdef; HttpOnly', 'abcdef'],
  ['jmcp_abcdEFGH12345678', 'abcdEFGH'],
  ['jarvis_abcdEFGH12345678abcdEFGH12345678abcdEF', 'abcdEFGH'],
  ['jmat_abcdEFGH12345678', 'abcdEFGH'],
  ['jmrt_abcdEFGH12345678', 'abcdEFGH'],
  ['https://hooks.slack.com/services/T000/B000/abcdefghijkl', 'abcdefghijkl'],
  [`plain ${secret} here`, 'kd/Q2'],
  [`base64 ${Buffer.from(secret).toString('base64')}`, Buffer.from(secret).toString('base64')],
  [
    `inside ${Buffer.from(`u:${secret}`).toString('base64')}`,
    Buffer.from(`u:${secret}`).toString('base64').slice(4, 20),
  ],
  [`url ${encodeURIComponent(secret)}`, '%2Fkd'.slice(3)],
  [`json ${JSON.stringify(secret)}`, 'kd/Q2'],
  [`hex ${Buffer.from(secret).toString('hex')}`, Buffer.from(secret).toString('hex').slice(8, 20)],
  ['xcluster-token-value-77y', 'value-77'],
]

const innocent = [
  uuid,
  'uuid: 8f14e45f-ceea-467f-a8b6-1234567890ab',
  'UPID:pve:0012AB34:0AB1C2D3:66A1B2C3:qmreboot:123:root@pam!jarvis:',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'commit da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'BC:24:11:AA:BB:CC',
  'SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDEs4P4yrWmVTBvxxx',
  'ssl_fingerprint: AA:BB:CC:DD:EE:FF:00:11:22:33',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ root@pve',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
  'http://pve:8006/api2/json',
  'https://example.com/a:b@c',
  'https://user@host/path',
  'mailto bob@example.com',
  'task-abcdEFGH1234567890abcd',
  'disk-1234567890abcdefghijkl',
  'risk-averse and sk-learn-like words',
  'inputTokens: 14200, max_tokens=4096',
  'token_count=12345678',
  'tokenid: root@pam!jarvis',
  'PVE_TOKEN_ID=root@pam!jarvis',
  'The password is wrong.',
  'Wrong password: the one given is not known to this server at all.',
  'password: none',
  'password=$DB_PASSWORD',
  `password: $\{DB_PASSWORD}`,
  'password=<yours>',
  'password: ********',
  'token: ops-laptop',
  'secretName: web-tls',
  'secrets:',
  'kind: Secret',
  'the bearer of bad news',
  'Bearer tokens expire after some days',
  'Authorization: required',
  'PWD=/root/scripts',
  'compass=north',
  'bypass: on',
  'monkey: banana99',
  'broken=1234567890abcdef',
  'keyboard: us-intl-9',
  'eyJust a word',
  'AKIA is a prefix',
  'no cookies here: cookies taste',
  'a tiny secret is too short to look for',
  'vm/101 node/pve ct/104',
  'scsi0: local-zfs:vm-101-disk-0,size=32G',
  'net0: virtio=BC:24:11:AA:BB:CC,bridge=vmbr0',
  '192.168.1.10:8006 fe80::1%eth0',
  '2025-01-01T10:00:00Z sshd[123]: Accepted publickey for root from 10.0.0.1 port 22',
]

test.each(leaks)('%s loses its secret', (text, gone) => {
  const clean = redactor.text(text)
  expect(clean).not.toContain(gone)
  expect(clean).toContain('[redacted]')
  expect(redactor.text(clean)).toBe(clean)
})

test.each(innocent)('%s stays whole', (text) => {
  expect(redactor.text(text)).toBe(text)
})

test.each([
  ['?token=abc123def456&vmid=101', '?token=[redacted]&vmid=101'],
  ['postgres://app:hunter2@db:5432/x', 'postgres://app:[redacted]@db:5432/x'],
  ['{"password": "hunter2", "user": "bob"}', '{"password": "[redacted]", "user": "bob"}'],
  [`PVEAPIToken=root@pam!jarvis=${uuid}`, 'PVEAPIToken=root@pam!jarvis=[redacted]'],
  ['Authorization: Bearer abc', 'Authorization: Bearer [redacted]'],
  [`a ${key} b`, 'a [redacted] b'],
  ['  - db_password: hunter2  # prod', '  - db_password: [redacted]  # prod'],
])('what stands around a secret stays: %s', (text, clean) => {
  expect(redactor.text(text)).toBe(clean)
})

test('in structured data keys stay, and what stands under a secret key goes whole', () => {
  const data = {
    user: 'bob',
    password: 'x y',
    nested: [{ apiKey: 'A1b2C3d4', vmid: 101, note: `see ${jwt}` }],
    token: 'ops-laptop',
    auth_token: 'Xy12Zz99',
    isSecret: true,
    secret: null,
  }
  expect(redactor.value(data)).toEqual({
    user: 'bob',
    password: '[redacted]',
    nested: [{ apiKey: '[redacted]', vmid: 101, note: 'see [redacted]' }],
    token: 'ops-laptop',
    auth_token: '[redacted]',
    isSecret: true,
    secret: null,
  })
  expect(redactor.value(undefined)).toBeUndefined()
})

const pieces = fc.oneof(
  fc.constantFrom(...leaks.map(([text]) => text), ...innocent, ' ', '\n', '"', '=', ': ', 'password'),
  fc.string(),
)
const anyText = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(''))

test('redacting twice changes nothing more, and nothing throws', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = redactor.text(text)
      expect(redactor.text(once)).toBe(once)
    }),
    runs(300),
  )
})

test('a sentence that shrinks to a few words when part of it is redacted is looked at again', () => {
  const text = 'password: correct horse batteryDB_PASSWORD="hun ter2"Cookie: session=abcdef; theme=dark'
  expect(redactor.text(text)).toBe('password: [redacted]')
})

test('time grows with the length only', () => {
  const units = [
    'password: a ',
    'token:<a>',
    '-----BEGIN PRIVATE KEY-----',
    'eyJ-',
    '://a:',
    'sk-',
    'bearer ',
    'password="',
    'a',
    '--token ',
  ]
  for (const unit of units) {
    const long = unit.repeat(Math.ceil(200_000 / unit.length))
    expect(
      cpuMs(() => redactor.text(long)),
      unit,
    ).toBeLessThan(1_000)
  }
})

describe('a stream', () => {
  const streamed = (deltas: readonly string[]) => {
    const stream = createStreamRedactor(redactor)
    return deltas.map((delta) => stream.push(delta)).join('') + stream.flush()
  }
  const cut = (text: string, size: number) => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []

  test('returns ordinary prose at once', () => {
    const stream = createStreamRedactor(redactor)
    for (const delta of [
      'VM',
      ' 101',
      ' is',
      ' running',
      ' on',
      ' pve',
      ':',
      ' CPU',
      ' 97',
      ' %',
      '.\n',
      '- Task',
      ' as',
      ' e',
      'y',
    ]) {
      expect(stream.push(delta)).toBe(delta)
    }
    expect(stream.flush()).toBe('')
  })

  test('may speak of a password without stopping', () => {
    const stream = createStreamRedactor(redactor)
    for (const delta of ['The', ' password', ' is', ' wrong', ', and', ' the', ' token', ' too', '.']) {
      expect(stream.push(delta)).toBe(delta)
    }
  })

  test.each(leaks)('never shows the secret of %s, however it is cut', (text, gone) => {
    for (const size of [1, 2, 3, 5, 7, 16]) {
      const clean = streamed(cut(`Look: \n${text}\n\nThat was it.`, size))
      expect(clean).not.toContain(gone)
      expect(clean).toContain('[redacted]')
      if (!text.includes('cut off here')) expect(clean).toContain('That was it.')
    }
  })

  test.each(innocent)('shows all of %s, however it is cut', (text) => {
    for (const size of [1, 2, 3, 5, 16]) {
      const whole = `Look: \n${text}\n\nThat was it.`
      expect(streamed(cut(whole, size))).toBe(whole)
    }
  })

  test('swallows what never ends', () => {
    const stream = createStreamRedactor(redactor)
    let shown = stream.push('x sk-ant-')
    for (let part = 0; part < 500; part += 1) shown += stream.push('AbCdEf12'.repeat(4))
    shown += stream.push(' and on') + stream.flush()
    expect(shown).not.toContain('AbCd')
    expect(shown).toMatch(/\[redacted\] and on$/)
  })

  test('is cheap on ordinary deltas', () => {
    const stream = createStreamRedactor(redactor)
    const spentMs = cpuMs(() => {
      for (let part = 0; part < 20_000; part += 1) stream.push(part % 7 === 0 ? ' running\n' : ' guest')
    })
    expect(spentMs / 20_000).toBeLessThan(0.05)
  })
})

test('a key that would be the prototype stays a key of its own, without its secret', () => {
  const safe = redactor.value(JSON.parse('{"__proto__": {"password": "hunter-22-x"}, "constructor": 7}'))
  expect(JSON.stringify(safe)).toBe('{"__proto__":{"password":"[redacted]"},"constructor":7}')
  expect(Object.getPrototypeOf(safe)).toBe(Object.prototype)
})
