import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ErrorCode, JarvisError } from 'protocol'
import { expect, onTestFinished } from 'vitest'
import { createSshShell } from '../src/homelab/ssh/index.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { startKnownSshd } from './support/known-sshd.ts'
import type { SshdOptions } from './support/sshd.ts'
import { sshdTest as test } from './support/sshd.ts'

type ShellOptions = Parameters<typeof createSshShell>[0]

/** Shells that end with the test. */
async function start(settings: SshdOptions = {}) {
  const { options, ...known } = await startKnownSshd(settings)
  const shell = (other: Partial<ShellOptions> = {}) => {
    const made = createSshShell({ ...options, ...other })
    onTestFinished(() => made.close())
    const run = (argv: readonly string[], signal = new AbortController().signal) => made.run('pve1', [argv], { signal })
    return { ...made, argv: run, sh: (script: string, signal?: AbortSignal) => run(['sh', '-c', script], signal) }
  }
  return { ...known, shell }
}

function makeKey(path: string, passphrase = '', type = 'ed25519') {
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', path])
  return path
}

/** A program that says its process id and then sleeps; `gone` resolves when it and all it started have ended. */
function sleeper(dir: string, script = 'exec sleep 1000', before = '') {
  const path = join(dir, `fifo-${Math.random().toString(36).slice(2)}`)
  execFileSync('mkfifo', [path])
  const stream = createReadStream(path, { encoding: 'utf8' })
  const said = once(stream, 'data') as Promise<[string]>
  const gone = once(stream, 'end')
  return {
    argv: ['sh', '-c', `exec 3>"$0"; ${before}\necho $$ $PPID $left >&3; ${script}`, path],
    started: said.then(([text]) => {
      const [pid = 0, server = 0, left = 0] = text.split(/\s/).map(Number)
      return { pid, server, left }
    }),
    gone,
  }
}

/** Where signals reach a login's commands, it has ended by itself. */
function endQuietly(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

async function messageOf(work: Promise<unknown>, code: ErrorCode = 'cluster_unreachable'): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code })
  return (error as JarvisError).message
}

test('a command runs and gives its output, its errors and its exit code', async () => {
  const { shell } = await start()
  const { sh, argv } = shell()

  expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
    stdout: 'out\n',
    stderr: 'err\n',
    exitCode: 3,
    truncated: false,
  })
  expect(await argv(['no-such-program-here'])).toMatchObject({ exitCode: 127, stdout: '' })
})

test('the node sees exactly the words that were judged', async () => {
  const { shell } = await start()
  const words = [
    "it's",
    '"quoted"',
    'two\nlines',
    '$HOME',
    '$(id)',
    '`id`',
    '*',
    '',
    ' a  b ',
    'ä…😀',
    '\\',
    '!!',
    '-n',
    '~',
    "'",
  ]

  const { stdout } = await shell().argv(['printf', '%s\\0', ...words])

  expect(stdout.split('\0').slice(0, -1)).toEqual(words)
})

test('stages are piped into each other, and none reads anything else', async () => {
  const { shell } = await start()
  const { run, argv } = shell()

  const stages = [['printf', 'b\na|c\n'], ['sort'], ['head', '-n', '1']]
  expect((await run('pve1', stages, { signal: new AbortController().signal })).stdout).toBe('a|c\n')
  expect((await argv(['cat'])).stdout).toBe('')
})

test('there is no terminal', async () => {
  const { shell } = await start()
  expect((await shell().argv(['tty'])).stdout).toBe('not a tty\n')
})

test('no program takes all of a node, also one that JARVIS has let go of', async () => {
  const { shell } = await start()
  const { sh, run } = shell()
  expect((await sh('ulimit -t; ulimit -v')).stdout).toBe('60\n1048576\n')
  const filter = (...argv: string[]) => run('pve1', [argv], { signal: AbortSignal.timeout(60_000), input: '1\n' })
  expect((await filter('sh', '-c', 'ulimit -t; ulimit -v')).stdout).toBe('10\n524288\n')
})

test('a program ended by a signal is reported as such', async () => {
  const { shell } = await start()
  expect(await shell().sh('echo so far; kill -KILL $$')).toMatchObject({
    stdout: 'so far\n',
    exitCode: 137,
    signal: 'SIGKILL',
  })
})

test('of a huge output the start and the end are kept, with the number of missing bytes', async () => {
  const { shell } = await start()
  const { stdout, stderr, truncated, leftOutBytes, exitCode } = await shell({ limits: { keepBytes: 1_000 } }).sh(
    'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last; echo small >&2',
  )
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'small\n' })
  expect({ truncated, leftOutBytes }).toEqual({ truncated: true, leftOutBytes: 49_999_012 })
  expect(stdout).toMatch(/^first\nx+\n… 49,999,012 bytes left out …\nx+\nlast\n$/)
})

test('many commands share one connection, and no more at once than the server takes', async () => {
  const { shell, sshd } = await start({ settings: ['MaxSessions 3'] })
  const { sh } = shell()
  const all = Array.from({ length: 30 }, (_, count) => count)

  const outputs = await Promise.all(all.map((count) => sh(`echo ${count}`)))

  expect(outputs.map(({ stdout }) => Number(stdout))).toEqual(all)
  expect(sshd.log().match(/Accepted publickey/g)).toHaveLength(1)
  expect(sshd.log()).toContain('no more sessions')
})

test('a server that takes no sessions is reported as such', async () => {
  const { shell } = await start({ settings: ['MaxSessions 0'] })
  expect(await messageOf(shell().sh('true'), 'cluster_refused')).toMatch(
    /pve1 takes no sessions over SSH \(MaxSessions/,
  )
})

test('an idle connection is ended, and the next command makes a new one', async () => {
  const { shell, sshd } = await start()
  const clock = createFakeClock(0)
  const { sh } = shell({ clock, idleMs: 60_000 })

  const server = (await sh('echo $PPID')).stdout
  expect((await sh('echo $PPID')).stdout).toBe(server)
  expect(clock.pending()).toBe(1)
  await clock.advance(60_000)
  expect((await sh('echo $PPID')).stdout).not.toBe(server)
  expect(sshd.log().match(/Accepted publickey/g)).toHaveLength(2)
})

test('aborting answers at once and lets go of the command', async () => {
  const { shell, dir } = await start()
  const clock = createFakeClock(0)
  const { argv, sh } = shell({ clock, limits: { graceMs: 2_000 } })
  const { argv: words, started, gone } = sleeper(dir, 'exec yes')
  const stop = new AbortController()

  const running = argv(words, stop.signal)
  await started
  stop.abort(new Error('stopped'))

  await expect(running).rejects.toThrow('stopped')
  await clock.advance(2_000)
  await gone
  expect((await sh('echo still here')).stdout).toBe('still here\n')
  await expect(sh('true', stop.signal)).rejects.toThrow('stopped')
})

test('an abandoned command that still runs blocks no other command', async () => {
  const { shell, dir } = await start({ settings: ['MaxSessions 1'] })
  const { argv, sh } = shell({ limits: { graceMs: 10 } })
  for (let count = 0; count < 2; count += 1) {
    const { argv: words, started } = sleeper(dir)
    const stop = new AbortController()
    const running = argv(words, stop.signal)
    const { pid } = await started
    onTestFinished(() => endQuietly(pid))
    stop.abort(new Error('stopped'))
    await expect(running).rejects.toThrow('stopped')
  }
  expect((await sh('echo in')).stdout).toBe('in\n')
})

test('a command that hangs is let go of after its time', async () => {
  const { shell, dir } = await start()
  const clock = createFakeClock(0)
  const { argv } = shell({ clock, limits: { commandMs: 60_000, graceMs: 2_000 } })
  const { argv: words, started, gone } = sleeper(dir, 'trap "" TERM; while echo on; do :; done')

  const running = messageOf(argv(words), 'outcome_unknown')
  await started
  await clock.advance(60_000)
  expect(await running).toBe(
    'The command on pve1 did not end within 60 s. JARVIS waits no longer; it may still run there.',
  )
  await clock.advance(2_000)
  await gone
})

test('a background process of a command does not delay its result', async () => {
  const { shell, dir } = await start()
  const clock = createFakeClock(0)
  const { argv } = shell({ clock, limits: { graceMs: 2_000 } })
  const { argv: words, started } = sleeper(dir, 'exit 4', 'sleep 1000 & left=$!')

  const running = argv(words)
  const { left } = await started
  onTestFinished(() => void process.kill(left, 'SIGKILL'))
  // It has ended once the clock has only the grace to wait for, besides the command's own limit.
  await expect.poll(() => clock.pending()).toBe(2)
  await clock.advance(2_000)
  expect(await running).toMatchObject({ exitCode: 4 })
})

test('a connection that drops during a command ends it, and the next command connects again', async () => {
  const { shell, dir } = await start()
  const { argv, sh } = shell()
  const { argv: words, started } = sleeper(dir)

  const running = messageOf(argv(words), 'outcome_unknown')
  const { pid, server } = await started
  process.kill(server, 'SIGKILL')
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))

  expect(await running).toBe(
    'The connection to pve1 was lost while the command ran. Whether it ran to its end is not known.',
  )
  expect((await sh('echo again')).stdout).toBe('again\n')
})

test('a connection that died while it was idle is replaced before the command is sent', async () => {
  const { shell, sshd } = await start()
  const { sh } = shell()
  await sh('true')
  await sshd.restart()
  expect((await sh('echo again')).stdout).toBe('again\n')
})

/** Passes bytes on until it is told not to, and then keeps silent, as a cable that was pulled does. */
async function relayTo(port: number) {
  const sockets: Socket[] = []
  let isCut = false
  const cut = () => {
    isCut = true
  }
  const relay = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' })
    sockets.push(near, far)
    near.on('data', (chunk) => void (isCut || far.write(chunk))).on('error', () => {})
    far.on('data', (chunk) => void (isCut || near.write(chunk))).on('error', () => {})
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  const address = relay.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, cut }
}

test('a node that falls silent is noticed, in a command and before one', async () => {
  const { shell, sshd, dir, knownHostsPath } = await start()
  const relay = await relayTo(sshd.port)
  appendFileSync(knownHostsPath, `[127.0.0.1]:${relay.port} ${sshd.hostKey()}\n`)
  const addressOf = () => ({ host: '127.0.0.1', port: relay.port })
  const { argv } = shell({ addressOf, keepaliveMs: 30 })
  const { argv: words, started } = sleeper(dir)

  const running = messageOf(argv(words), 'outcome_unknown')
  const { pid } = await started
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  relay.cut()
  expect(await running).toMatch(/was lost while the command ran/)

  const clock = createFakeClock(0)
  const connecting = messageOf(shell({ addressOf, clock }).sh('true'))
  await expect.poll(() => clock.pending()).toBe(1)
  await clock.advance(10_000)
  expect(await connecting).toMatch(/^pve1 \(127\.0\.0\.1:\d+\) did not let JARVIS in over SSH within 10 s\.$/)
})

test('a node that refuses connections, and an unknown node, are named', async () => {
  const { shell, sshd } = await start()
  const { sh, run } = shell()
  await sshd.stop()
  expect(await messageOf(sh('true'))).toMatch(
    /^pve1 \(127\.0\.0\.1:\d+\) cannot be reached over SSH: connection refused\.$/,
  )
  expect(await messageOf(run('pve9', [['true']], { signal: new AbortController().signal }), 'not_found')).toBe(
    'There is no node pve9.',
  )
})

test('a key the node does not know is refused, with how to put it there', async () => {
  const { shell, sshd, dir } = await start()
  const keyPath = makeKey(join(dir, 'other'))
  expect(await messageOf(shell({ keyPath }).sh('true'))).toBe(
    `pve1 (127.0.0.1:${sshd.port}) does not let ${sshd.user} in with the key ${keyPath}.\nPut its public half on pve1: ssh-copy-id -i ${keyPath} -p ${sshd.port} ${sshd.user}@127.0.0.1`,
  )
})

test('keys of every common type let in', async () => {
  const { shell, sshd, dir } = await start()
  for (const type of ['rsa', 'ecdsa']) {
    const keyPath = makeKey(join(dir, type), '', type)
    sshd.allow(`${keyPath}.pub`)
    expect((await shell({ keyPath }).sh('echo in')).stdout).toBe('in\n')
  }
})

test('an unusable key is reported with the reason, and never shown', async () => {
  const { shell, sshd, dir } = await start()
  const encrypted = makeKey(join(dir, 'encrypted'), 'a-passphrase')
  const pem = join(dir, 'pem')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(pem, privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }))
  const broken = join(dir, 'broken')
  writeFileSync(broken, readFileSync(sshd.clientKeyPath, 'utf8').replace(/^(.{100})./s, '$1!'))

  const said = new Map<string, string>()
  for (const keyPath of [encrypted, pem, broken, `${sshd.clientKeyPath}.pub`, join(dir, 'none'), dir]) {
    said.set(keyPath, await messageOf(shell({ keyPath }).sh('true')))
  }
  expect(said.get(encrypted)).toMatch(/is encrypted, and JARVIS keeps no passphrase. Load it into an agent \(ssh-add /)
  expect(said.get(pem)).toMatch(/is encrypted/)
  expect(said.get(broken)).toMatch(/is no private key that can be read/)
  expect(said.get(`${sshd.clientKeyPath}.pub`)).toMatch(/is a public key/)
  expect(said.get(join(dir, 'none'))).toMatch(/is not there/)
  expect(said.get(dir)).toMatch(/cannot be read \(EISDIR\)/)
  expect(await messageOf(shell({ keyPath: undefined }).sh('true'))).toMatch(/JARVIS has no SSH key/)
  for (const path of [encrypted, pem, sshd.clientKeyPath]) {
    for (const line of readFileSync(path, 'utf8')
      .split('\n')
      .filter((text) => text.length > 20)) {
      expect([...said.values()].join('\n')).not.toContain(line)
    }
  }
})

async function startAgent(dir: string): Promise<string> {
  const path = join(dir, 'agent')
  const agent: ChildProcess = spawn('ssh-agent', ['-D', '-a', path], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void agent.kill())
  await once(agent.stdout as NodeJS.ReadableStream, 'data')
  return path
}

test('an agent signs in without a key, for an encrypted key, and where the key is refused', async () => {
  const { shell, sshd, dir } = await start()
  const agentSocket = await startAgent(dir)
  const other = makeKey(join(dir, 'other'))
  const encrypted = makeKey(join(dir, 'encrypted'), 'a-passphrase')
  expect(await messageOf(shell({ keyPath: undefined, agentSocket }).sh('true'))).toMatch(/none of the agent's keys/)

  execFileSync('ssh-add', ['-q', sshd.clientKeyPath], { env: { ...process.env, SSH_AUTH_SOCK: agentSocket } })
  for (const keyPath of [undefined, encrypted, other]) {
    expect((await shell({ keyPath, agentSocket }).sh('echo in')).stdout).toBe('in\n')
  }
  // An agent that is gone is no reason not to use the key.
  expect((await shell({ agentSocket: join(dir, 'gone') }).sh('echo in')).stdout).toBe('in\n')
})

test('an unknown host key is refused with its fingerprint, and the line it gives accepts it', async () => {
  const { shell, sshd, dir } = await start()
  const knownHostsPath = join(dir, 'not yet there')
  const { sh } = shell({ knownHostsPath })

  const said = await messageOf(sh('true'))
  expect(said).toContain(
    `pve1 (127.0.0.1:${sshd.port}) shows the ED25519 host key ${sshd.hostKeyFingerprint()}, which is not in`,
  )
  expect(said).toContain('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub')
  expect(sshd.log()).not.toContain('Accepted')

  execFileSync('sh', ['-c', said.split('accept it with: ')[1] ?? 'false'])
  expect((await sh('echo in')).stdout).toBe('in\n')
})

test('a changed host key is refused with both fingerprints, and the line it gives accepts it', async () => {
  const { shell, sshd } = await start()
  const { sh } = shell()
  await sh('true')
  const before = sshd.hostKeyFingerprint()
  await sshd.restart({ newHostKey: true })

  const said = await messageOf(sh('true'))
  expect(said).toContain(`shows the ED25519 host key ${sshd.hostKeyFingerprint()}, but `)
  expect(said).toContain(`has ${before} in line 1.`)
  expect(said).toContain('something stands between')

  execFileSync('sh', ['-c', said.split('accept it with: ')[1] ?? 'false'], { stdio: 'ignore' })
  expect((await sh('echo in')).stdout).toBe('in\n')
})

test('a revoked host key is refused although it is known', async () => {
  const { shell, sshd, knownHostsPath } = await start()
  appendFileSync(knownHostsPath, `@revoked * ${sshd.hostKey()}\n`)
  const said = await messageOf(shell().sh('true'))
  expect(said).toMatch(/which line 2 of .* revokes\. It is not trusted/)
  expect(said).not.toContain('accept it')
})

test('a hashed name is known', async () => {
  const { shell, knownHostsPath } = await start()
  execFileSync('ssh-keygen', ['-q', '-H', '-f', knownHostsPath], { stdio: 'ignore' })
  expect(readFileSync(knownHostsPath, 'utf8')).toMatch(/^\|1\|/)
  expect((await shell().sh('echo in')).stdout).toBe('in\n')
})

test('a server with several keys is asked for the known one', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-ssh-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const rsa = makeKey(join(dir, 'rsa'), '', 'rsa')
  const { shell, sshd } = await start({ settings: [`HostKey ${rsa}`] })
  const knownHostsPath = join(dir, 'known_hosts')
  writeFileSync(knownHostsPath, `[127.0.0.1]:${sshd.port} ${readFileSync(`${rsa}.pub`, 'utf8')}`)
  expect((await shell({ knownHostsPath }).sh('echo in')).stdout).toBe('in\n')
})

test('known host keys that cannot be read are no reason to trust everybody', async () => {
  const { shell, dir } = await start()
  expect(await messageOf(shell({ knownHostsPath: dir }).sh('true'))).toMatch(
    /cannot be read: SSH_KNOWN_HOSTS .* \(EISDIR\)/,
  )
})
