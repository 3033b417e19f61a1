import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { tokenParts } from './proxmox.ts'

const fingerprint = Array.from({ length: 32 }, (_, i) => (i + 16).toString(16).toUpperCase()).join(':')
const whole = {
  PVE_URL: 'https://pve1.lan:8006',
  PVE_TOKEN_ID: 'jarvis@pve!jarvis',
  PVE_TOKEN_SECRET: '1b2f8a90-0000-4000-8000-1234567890ab',
}

test.each([
  ['jarvis@pve!jarvis', 'jarvis@pve'],
  ['mira@example.org@authentik!jarvis', 'mira@example.org@authentik'],
  ['ops@corp-home.lan!jarvis', 'ops@corp-home.lan'],
  ['mira+lab@example.org@my-idp.home_1!jarvis.2', 'mira+lab@example.org@my-idp.home_1'],
  ['a!b@pve!jarvis', 'a!b@pve'],
])('%s is a token of %s', (PVE_TOKEN_ID, user) => {
  expect(readConfig({ ...whole, PVE_TOKEN_ID }).proxmox?.tokenId).toBe(PVE_TOKEN_ID)
  expect(tokenParts(PVE_TOKEN_ID)).toEqual({ user, name: PVE_TOKEN_ID.split('!').at(-1) })
  const pbs = { PBS_URL: 'https://pbs.lan', PBS_TOKEN_ID: PVE_TOKEN_ID, PBS_TOKEN_SECRET: whole.PVE_TOKEN_SECRET }
  expect(readConfig(pbs).pbs?.tokenId).toBe(PVE_TOKEN_ID)
})

test('without PVE_URL the demo cluster serves', () => {
  expect(readConfig({}).proxmox).toBeUndefined()
})

test.each([
  ['https://pve1.lan:8006', ['https://pve1.lan:8006']],
  ['https://pve1.lan', ['https://pve1.lan:8006']],
  ['https://pve.example.org:443/', ['https://pve.example.org:443']],
  ['https://10.0.4.11:8006/api2/json, https://[fd00::2]:8006', ['https://10.0.4.11:8006', 'https://[fd00::2]:8006']],
])('PVE_URL %s is read', (PVE_URL, urls) => {
  expect(readConfig({ ...whole, PVE_URL }).proxmox?.urls).toEqual(urls)
})

test('fingerprints are read with and without colons, and the secret is one that nothing shows', () => {
  const PVE_FINGERPRINT = `${fingerprint}, ${fingerprint.replaceAll(':', '').toLowerCase()}`
  const { proxmox, secrets } = readConfig({ ...whole, PVE_FINGERPRINT })
  expect(proxmox?.fingerprints).toEqual([fingerprint, fingerprint])
  expect(secrets).toContain(whole.PVE_TOKEN_SECRET)
})

test.each([
  [{ PVE_URL: 'http://pve1.lan:8006' }, /^PVE_URL must be one https address/],
  [{ PVE_URL: 'pve1.lan' }, /^PVE_URL must be/],
  [{ PVE_URL: 'https://root:secret@pve1.lan' }, /^PVE_URL must be(?!.*secret)/],
  [{ PVE_URL: 'https://pve1.lan:8006/#v1' }, undefined],
  [{ PVE_TOKEN_ID: 'jarvis@pve' }, /^PVE_TOKEN_ID must be user@realm!name/],
  [{ PVE_TOKEN_ID: 'mira@example.org@!jarvis' }, /^PVE_TOKEN_ID must be user@realm!name/],
  [{ PVE_TOKEN_ID: `${whole.PVE_TOKEN_ID}=${whole.PVE_TOKEN_SECRET}` }, /^PVE_TOKEN_ID must be user@realm!name/],
  [{ PVE_TOKEN_ID: "'jarvis@pve!jarvis'" }, /^PVE_TOKEN_ID has quotes around its value: docker run --env-file/],
  [{ PVE_TOKEN_SECRET: `"${whole.PVE_TOKEN_SECRET}"` }, /^PVE_TOKEN_SECRET has quotes/],
  [{ JARVIS_PASSWORD: '"quoted-on-purpose"' }, undefined],
  [{ PVE_TOKEN_ID: '' }, /^PVE_TOKEN_ID must be set with PVE_URL/],
  [{ PVE_TOKEN_SECRET: '' }, /^PVE_TOKEN_SECRET must be set with PVE_URL/],
  [{ PVE_TOKEN_SECRET: 'jarvis@pve!jarvis=1b2f8a90' }, /^PVE_TOKEN_SECRET must be the secret alone/],
  [{ PVE_FINGERPRINT: 'AA:BB' }, /^PVE_FINGERPRINT must be SHA-256/],
  [{ PVE_CA_FILE: '/nowhere/ca.pem' }, /^PVE_CA_FILE cannot be read as a certificate/],
  [{ PVE_CA_FILE: import.meta.filename }, /^PVE_CA_FILE cannot be read as a certificate/],
  [{ PVE_URL: '' }, /^PVE_URL must be set too/],
])('%j stops the start with a line that names the variable', (change, line) => {
  const read = () => readConfig({ ...whole, ...change })
  if (line === undefined) expect(read).not.toThrow()
  else expect(read).toThrow(line)
})
