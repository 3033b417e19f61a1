import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished } from 'vitest'
import { createSshShell } from '../src/homelab/ssh/index.ts'
import { startKnownSshd } from './support/known-sshd.ts'
import { createSimulator } from './support/simulator.ts'
import { sshdTest as test } from './support/sshd.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** JARVIS whose nodes' shells are a real SSH server's. */
async function overSsh() {
  const known = await startKnownSshd()
  const { host, port } = known.sshd
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const shell = createSshShell({ ...known.options, addressOf: () => ({ host, port }) })
  const jarvis = await startJarvis({ homelab: { ...simulator, shell } })
  const operator = await jarvis.connect()
  const run = async (command: string) => {
    const quoted = command.replace(/["\\]/g, '\\$&')
    await operator.ask('chat:send', { message: `/execute_ssh node=pve command="${quoted}"` })
    return operator.next('chat:tool_result')
  }
  return { ...known, run, close: shell.close }
}

test('execute_ssh runs exactly the judged words on the node, also in a pipe', async () => {
  const { run, close } = await overSsh()
  expect(await run("grep -c 'root:x:0' /etc/passwd")).toMatchObject({
    isError: false,
    result: 'Exit code 0.\nstdout:\n1',
  })
  expect(await run("grep '^root:' /etc/passwd | wc -l")).toMatchObject({ result: 'Exit code 0.\nstdout:\n1' })
  expect(await run('ls /no-such-folder')).toMatchObject({
    isError: true,
    result: expect.stringMatching(/^Exit code 2/),
  })
  close()
})

test('a read whose connection is lost counts as failed, and its answer says that nothing was changed', async () => {
  const { run, close, sshd } = await overSsh()
  const dir = mkdtempSync('/tmp/jarvis-pipes-')
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const pipe = join(dir, 'app.log')
  execFileSync('mkfifo', [pipe])
  const running = run(`tail -n 5 ${pipe}`)
  // Opens once somebody reads, who waits then, for nothing is written.
  const writer = await open(pipe, 'w')
  await sshd.restart()
  const result = await running
  await writer.close()
  expect(result).toMatchObject({
    isError: true,
    result: expect.stringMatching(/lost while the command ran.* only reads: it has changed nothing/),
  })
  expect(result).not.toHaveProperty('isUnknown')
  close()
})

test('a link is followed only to what may be read', async () => {
  const { run, close } = await overSsh()
  const dir = mkdtempSync('/tmp/jarvis-links-')
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'real'), 'plain\n')
  for (const [name, to] of [
    ['plain.log', join(dir, 'real')],
    ['app.log', '/etc/shadow'],
    ['all', '/etc'],
  ] as const) {
    symlinkSync(to, join(dir, name))
  }
  const fine = { isError: false, result: expect.stringContaining('plain') }
  const refused = {
    isError: true,
    result: expect.stringMatching(/^A link in it leads elsewhere\. \/etc.*Nothing was run\.$/),
  }
  expect(await run(`cat ${dir}/plain.log ${dir}/missing`)).toMatchObject(fine)
  expect(await run(`grep -c plain ${dir}/plain.log | cat`)).toMatchObject({ isError: false })
  expect(await run(`tail -n 5 ${dir}/app.log`)).toMatchObject(refused)
  expect(await run(`grep : ${dir}/all/hosts ${dir}/app.log | head`)).toMatchObject(refused)
  close()
})

test('a password in a file comes out whole nowhere, and in pieces neither', async () => {
  const { run, close } = await overSsh()
  const dir = mkdtempSync('/tmp/jarvis-app-')
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'app.conf'), 'listen = 8080\ndb_password = Zq7vKx2WjYp9BhRg\n')
  for (const command of [`cat ${dir}/app.conf | fold -w 4`, `fold -w 4 ${dir}/app.conf`, `cut -c15- ${dir}/app.conf`]) {
    const { result, isError } = await run(command)
    expect({ isError, hasPieces: /Zq7v|Kx2W|jYp9|BhRg|q7vK/.test(String(result)) }).toEqual({
      isError: false,
      hasPieces: false,
    })
    expect(String(result).replace(/\s/g, '')).toContain('[redacted]')
  }
  close()
})

test('execute_ssh passes on how to accept a host key, whole, and nothing of the key that signs in', async () => {
  const { run, close, sshd, knownHostsPath } = await overSsh()
  rmSync(knownHostsPath)
  const { result, isError } = await run('uptime')
  expect(isError).toBe(true)
  expect(result).toContain(sshd.hostKeyFingerprint())
  expect(result).toContain(`echo '[127.0.0.1]:${sshd.port} ${sshd.hostKey()}' >> ${knownHostsPath}`)
  const secret = readFileSync(sshd.clientKeyPath, 'utf8').split('\n')[2] ?? ''
  expect(result).not.toContain(secret)
  close()
})
