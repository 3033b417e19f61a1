import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parseEnv } from 'node:util'
import { type FakeProxmox, startFakeProxmox } from 'fake-proxmox/server'
import { expect, onTestFinished, test } from 'vitest'
import { setup } from '../src/cli/setup.ts'
import { baseRights, pveumLine } from '../src/tools/rights.ts'
import { program } from './support/program.ts'
import { sshdTest, startSshd } from './support/sshd.ts'

const before = '# my settings\nJARVIS_PROTECTED=vm/101\n#PVE_URL=https://pve1.lan:8006\n'

async function start(entries = 1) {
  const fake = await startFakeProxmox({ entries, denyDelayMs: 10, proxyDelayMs: 10 })
  onTestFinished(fake.stop)
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-setup-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const envPath = join(dir, '.env')
  writeFileSync(envPath, before, { mode: 0o644 })
  const knownHosts = join(dir, 'ssh', 'known_hosts')
  return {
    fake,
    dir,
    envPath,
    knownHosts,
    file: () => readFileSync(envPath, 'utf8'),
    /** Runs it with these lines on its standard input. */
    async run(answers: readonly string[], args: readonly string[] = [], env: Record<string, string> = {}) {
      const input = new PassThrough()
      const output = new PassThrough()
      let said = ''
      output.on('data', (piece: Buffer) => {
        said += piece.toString()
      })
      input.end(answers.map((line) => `${line}\n`).join(''))
      let problem: unknown
      const streams = { input, output, isTerminal: false }
      await setup({ env: { SSH_KNOWN_HOSTS: knownHosts, ...env }, outside: {}, streams, envPath }, [...args]).catch(
        (error: unknown) => {
          problem = error
        },
      )
      return { said, problem: problem instanceof Error ? problem.message : problem }
    },
  }
}

const token = ({ tokenId, tokenSecret }: FakeProxmox) => [tokenId, tokenSecret]

test('answers on standard input connect the cluster, and the rest of .env stays', async () => {
  const { fake, run, file, envPath } = await start(2)
  await fake.control.setRights({ '/': Object.fromEntries(baseRights.map((right) => [right, 1])) })
  const macs = ['y', 'aa:bb:cc:dd:ee:01', 'nonsense', 'AA-BB-CC-DD-EE-02', '', '']
  const { said, problem } = await run([fake.urls.join(', '), 'y', 'yes', ...token(fake), ...macs, 'n', ''])
  expect(problem).toBeUndefined()
  for (const fingerprint of fake.fingerprints) expect(said).toContain(`SHA-256 ${fingerprint}`)
  expect(said).toContain(pveumLine)
  expect(said).toContain('Proxmox VE 9.2.11, node pve1')
  expect(said).toMatch(/All \d+ tools of the base role have their rights/)
  expect(said).toContain('Not chosen: node-power, to reboot nodes and shut them down (reboot_node, shutdown_node).')
  expect(said).not.toContain(fake.tokenSecret)
  expect(file()).toContain('# my settings\nJARVIS_PROTECTED=vm/101\n#PVE_URL=https://pve1.lan:8006\nPVE_URL=')
  expect(parseEnv(file())).toEqual({
    JARVIS_PROTECTED: 'vm/101',
    PVE_URL: fake.urls.join(','),
    PVE_TOKEN_ID: fake.tokenId,
    PVE_TOKEN_SECRET: fake.tokenSecret,
    PVE_FINGERPRINT: fake.fingerprints.join(','),
    JARVIS_NODES: 'pve1=10.0.0.1@aa:bb:cc:dd:ee:01,pve2=10.0.0.2@aa:bb:cc:dd:ee:02',
  })
  expect(statSync(envPath).mode & 0o777).toBe(0o600)
})

test.each([
  ['a certificate that is not accepted', ({ urls }: FakeProxmox) => [urls[0] ?? '', 'n'], /not trusted/],
  ['answers that end', ({ urls, tokenId }: FakeProxmox) => [urls[0] ?? '', 'y', tokenId], /answers ended/],
  [
    'a no to the last question',
    (fake: FakeProxmox) => [fake.urls[0] ?? '', 'y', ...token(fake), 'n', 'n', 'n'],
    undefined,
  ],
])('%s: nothing is changed', async (_what, answers, why) => {
  const { fake, run, file } = await start()
  const { said, problem } = await run(answers(fake))
  if (why === undefined) expect(said).toMatch(/Nothing was changed/)
  else expect(problem).toMatch(why)
  expect(file()).toBe(before)
  expect(said).not.toContain(fake.tokenSecret)
})

test('no token is sent before the certificate was accepted', async () => {
  const { fake, run } = await start()
  await run([fake.urls[0] ?? '', 'n'])
  expect(Object.keys(await fake.control.requests())).toEqual(['GET /'])
})

test('a wrong token is reported and asked for again, and missing rights are named with the line that adds them', async () => {
  const { fake, run } = await start()
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1, 'Datastore.Audit': 1 } })
  const wrong = [fake.tokenId, 'wrong-secret-0123456789']
  const { said, problem } = await run([fake.urls[0] ?? '', 'y', ...wrong, ...token(fake), '', 'n', 'n', 'y'])
  expect(problem).toBeUndefined()
  expect(said).toContain(`✗ ${fake.urls[0]}: refuses the API token ${fake.tokenId} (401)`)
  expect(said).toContain('✗ stop_vm lacks VM.PowerMgmt on /vms.')
  expect(said).toMatch(/pveum role modify JARVIS --append 1 --privs ".*VM\.PowerMgmt/)
  expect(said).not.toContain('wrong-secret')
})

test('--yes writes no token that lacks rights, names them and fails, unless --accept-missing says so', async () => {
  const { fake, run, file } = await start()
  const flags = ['--url', fake.urls[0] ?? '', '--token-id', fake.tokenId, '--yes', '--no-ssh']
  const env = { PVE_TOKEN_SECRET: fake.tokenSecret }
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1, 'Datastore.Audit': 1 } })
  const refused = await run([], flags, env)
  expect(refused.problem).toMatch(/^The token lacks .*VM\.PowerMgmt on \/vms.*Nothing was changed.*--accept-missing/)
  expect(file()).toBe(before)
  await fake.control.addFault({ kind: 'status', match: '/access/permissions', status: 500, phrase: 'no', times: 1 })
  expect((await run([], flags, env)).problem).toMatch(/^Which rights the token has could not be read/)
  expect(file()).toBe(before)

  expect((await run([], [...flags, '--accept-missing'], env)).problem).toBeUndefined()
  expect(parseEnv(file())).toMatchObject({ PVE_TOKEN_ID: fake.tokenId })
})

sshdTest(
  'SSH: a host key is written once it is accepted, the login is tried, and a changed key is not offered',
  async () => {
    const { fake, run, file, knownHosts } = await start()
    const sshd = await startSshd()
    onTestFinished(sshd.close)
    const nodes = [
      '--nodes',
      ['pve1', 'pve2', 'pve3', 'pve4'].map((name) => `${name}=127.0.0.1:${sshd.port}`).join(','),
    ]
    const to = [fake.urls[0] ?? '', 'y', ...token(fake)]
    const ssh = ['', sshd.user, sshd.clientKeyPath]

    const refused = await run([...to, ...ssh, 'n', 'n', 'n', 'n', 'y'], nodes)
    expect(refused.said).toContain(sshd.hostKeyFingerprint())
    expect(existsSync(knownHosts)).toBe(false)

    const { said, problem } = await run([...to, ...ssh, 'y', 'n', 'n', 'n', 'y'], nodes)
    expect(problem).toBeUndefined()
    expect(said).toMatch(/✓ pve1: .* lets JARVIS in/)
    expect(readFileSync(knownHosts, 'utf8')).toBe(`[127.0.0.1]:${sshd.port} ${sshd.hostKey()}\n`)
    expect(parseEnv(file())).toMatchObject({ SSH_USER: sshd.user, SSH_KEY_PATH: sshd.clientKeyPath })

    await sshd.restart({ newHostKey: true })
    const changed = await run([...to, ...ssh, 'y'], nodes)
    expect(changed.said).toMatch(/known_hosts has another/)
    expect(changed.said).not.toMatch(/Accept it/)
  },
)

test('at a terminal the secret is not shown, and Ctrl-C after it changes nothing', async () => {
  const { fake, envPath, file } = await start()
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answers: [RegExp, string][] = [
    [/Address of Proxmox[^:]*: /, `${fake.urls[0]}\r`],
    [/Trust it \[y\/N\]: /, 'y\r'],
    [/Token ID [^:]*: /, `${fake.tokenId}\r`],
    [/Token secret[^:]*: /, `${fake.tokenSecret}\r`],
    // The arrow up would bring back what was typed before.
    [/Enter MAC[^:]*: /, '\u001b[A\u0003'],
  ]
  let said = ''
  output.on('data', (piece: Buffer) => {
    said += piece.toString()
    const [next] = answers
    if (next?.[0].test(said) !== true) return
    answers.shift()
    input.write(next[1])
  })
  const streams = { input, output, isTerminal: true }
  await expect(setup({ env: {}, outside: {}, streams, envPath }, [])).rejects.toThrow(/Stopped: nothing was changed/)
  expect(answers).toEqual([])
  expect(said).toContain(fake.tokenId)
  expect(said).not.toContain(fake.tokenSecret)
  expect(file()).toBe(before)
})

test('flags are enough without questions, and a certificate that --fingerprint does not name stops the setup', async () => {
  const { fake, dir, envPath, file } = await start()
  const setUp = (args: string[]) =>
    new Promise<{ code: number | null; said: string }>((resolve) => {
      const env = { ...process.env, PVE_TOKEN_SECRET: fake.tokenSecret }
      const child = spawn(process.execPath, [...program('cli'), 'setup', ...args], { cwd: dir, env })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
      child.on('close', (code) => resolve({ code, said }))
      child.stdin.end()
    })
  const flags = ['--url', fake.urls[0] ?? '', '--token-id', fake.tokenId, '--yes']
  const wrong = await setUp([...flags, '--fingerprint', 'AB'.repeat(32)])
  expect(wrong).toMatchObject({ code: 1, said: expect.stringMatching(/another certificate/) })
  expect(file()).toBe(before)
  const done = await setUp([...flags, '--fingerprint', fake.fingerprints[0] ?? ''])
  expect(done).toMatchObject({ code: 0, said: expect.stringContaining(`Written to ${envPath}`) })
  expect(done.said).not.toContain(fake.tokenSecret)
  expect(parseEnv(file())).toMatchObject({ PVE_TOKEN_SECRET: fake.tokenSecret, PVE_URL: fake.urls[0] })
})
