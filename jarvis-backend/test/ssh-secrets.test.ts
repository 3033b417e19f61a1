import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Shell } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { listingOf, pathsIn } from 'ssh-grammar/path-patterns'
import { afterAll, beforeAll, expect } from 'vitest'
import { rowsOf } from '../../scripts/property-runs.ts'
import { createRedactor, createStreamRedactor, judgeCommand, parseCommand, quote } from '../src/gate/index.ts'
import { redactedShell } from '../src/homelab/redacted-shell.ts'
import { createSshShell } from '../src/homelab/ssh/index.ts'
import { carryOut } from '../src/tools/homelab/carry-out.ts'
import { failingRows } from './support/failing-rows.ts'
import { type Sshd, startSshd, sshdTest as test } from './support/sshd.ts'

/** No piece of it is an ordinary word or number, and each of its characters is there once. */
const secret = 'Zq7vKx2WjYp9BhRg'
const key = ['Q29uZ3JhdHVsYXRpb25zIHlvdSByZWFkIGl0', 'V2hvZXZlciByZWFkcyB0aGlzIGhhcyB0b28g']
const conf = [
  'listen = 8080',
  `db_password = ${secret}`,
  'db_host = 10.0.0.5',
  `url = postgres://app:${secret}@db/app`,
  `requirepass ${secret}`,
  '-----BEGIN PRIVATE KEY-----',
  ...key,
  '-----END PRIVATE KEY-----',
  'log = warn',
  '',
]
// Not where temporary files may be: commands may not read below /dev.
const dir = mkdtempSync('/tmp/jarvis-reads-')
const [file, other, packed, log] = ['app.conf', 'other.txt', 'app.log.gz', 'app.log'].map((name) => join(dir, name))
let sshd: Sshd
let shell: Shell & { close(): void }
let safe: Shell

/** The same programs without the way to a node, which takes most of a command's time: for tables of what programs print. */
const near: Shell = {
  async run(_node, stages, { input = '' }) {
    const line = stages.map(quote).join(' | ')
    const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', line], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    })
    return { stdout, stderr, exitCode: status ?? -1, truncated: false }
  },
}
const redactor = createRedactor([])
const redacted = (one: Shell) => redactedShell(one, { ...redactor, stream: () => createStreamRedactor(redactor) })

beforeAll(async () => {
  sshd = await startSshd()
  const { host, port, user, clientKeyPath } = sshd
  const knownHostsPath = join(dir, 'known_hosts')
  writeFileSync(knownHostsPath, `[${host}]:${port} ${sshd.hostKey()}\n`)
  writeFileSync(file as string, conf.join('\n'))
  writeFileSync(other as string, 'pear\napple\nfig\napple\n')
  writeFileSync(packed as string, gzipSync(conf.join('\n')))
  writeFileSync(log as string, Array.from({ length: 60_000 }, (_, line) => `line ${line} of the log`).join('\n'))
  mkdirSync(join(dir, 'sub'))
  writeFileSync(join(dir, 'sub', 'plain.conf'), 'listen = 9090\nlog = warn\n')
  writeFileSync(join(dir, 'sub', 'service.key'), `listen = ${secret}\n`)
  const options = { user, keyPath: clientKeyPath, agentSocket: undefined, knownHostsPath, clock: systemClock, quote }
  shell = createSshShell({ ...options, addressOf: () => ({ host, port }) })
  safe = redacted(shell)
})

afterAll(async () => {
  shell.close()
  await sshd.close()
  rmSync(dir, { recursive: true })
})

const stagesOf = (command: string) => {
  const parsed = parseCommand(command)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.stages
}
const calm = () => ({ signal: AbortSignal.timeout(60_000) })
const run = (command: string) => carryOut(safe, { node: 'pve', stages: stagesOf(command) }, calm())
const runNear = (command: string) => carryOut(redacted(near), { node: 'pve', stages: stagesOf(command) }, calm())

/** Every run of four characters of what is secret, in any order that a filter can give it. */
const pieces = [secret, ...key].flatMap((text) =>
  Array.from({ length: text.length - 3 }, (_, at) => text.slice(at, at + 4).toLowerCase()),
)
/** Pieces of a secret that are left when all that a filter can put between them is gone. */
function leaksIn(text: string): string[] {
  const bare = text.toLowerCase().replace(/[^a-z\d]/g, '')
  const apart = text
    .toLowerCase()
    .replace(/^\s*\d+\s/gm, '')
    .replace(/[^a-z\d]/g, '')
  const reversed = [...bare].reverse().join('')
  return pieces.filter((piece) => [bare, apart, reversed].some((shown) => shown.includes(piece)))
}

test('the look for pieces finds them however they are taken apart', () => {
  for (const shown of [secret, [...secret].join('\n'), secret.replace(/.{4}/g, '$&|'), [...secret].reverse().join('')])
    expect(leaksIn(shown), shown).not.toEqual([])
  expect(leaksIn([...secret].map((sign, at) => `${at + 1} ${sign}`).join('\n'))).not.toEqual([])
  expect(leaksIn(conf.filter((line) => !line.includes(secret) && !key.includes(line)).join('\n'))).toEqual([])
})

/** Each program that may look at a file or at what is piped into it, told to take it apart. */
const readers = [
  ...['cat', 'cat -n', 'cat -A', 'cat -b', 'cat -E', 'tac', 'nl -ba', 'nl -s :', 'head', 'head -n 2', 'head -c 33'],
  ...['head -c 21', 'head -n -3', 'tail', 'tail -n +2', 'tail -n 4', 'tail -c 90', 'tail -c +29', 'tail -n +7', 'sort'],
  ...[
    'sort -k2',
    'sort -t= -k2.3',
    'sort -R',
    'uniq',
    'uniq -s 3',
    'uniq -w 2 -c',
    'cut -c1-18',
    'cut -c16-',
    'cut -b 5-30',
  ],
  ...[
    'cut -d= -f2',
    "cut -d ' ' -f3",
    'cut -d: -f3',
    'cut -c15,17,19',
    'column -t',
    'column -s =',
    'column -t -s =',
    'column -c 20 -x',
  ],
  ...[
    'fold -w 4',
    'fold -w 1',
    'fold -s -w 9',
    'wc',
    'wc -L',
    "sed 's/./& /g'",
    "sed -n 's/.//gp'",
    "sed 's/password/x/'",
    "sed -n '2,4p'",
  ],
  ...[
    "sed -n '8p'",
    "sed -E 's/(.)(.)/b a/g'",
    "sed 's/=/ /;s/_/ /'",
    "awk '{print $3}'",
    "awk -F= '{print $2}'",
    "awk -F '' '{print $20, $21}'",
  ],
  ...[
    "awk -F q '{print $2}'",
    "awk 'NR==2 {print $3}'",
    "awk -F: '{print $NF}'",
    "grep ''",
    'grep -o .',
    'grep -n pass',
    "grep -oE '.{4}'",
  ],
  ...[
    "grep -oP '(?<=word = ).*'",
    'grep -ob .',
    'grep -v BEGIN',
    'grep -A2 KEY',
    'grep -c .',
    'grep -h =',
    'grep -HnT .',
    `grep -c ${secret.slice(0, 6)}`,
  ],
]
const filters = [
  ...readers,
  ...["tr -d '='", "tr ' ' '.'", 'tr a-zA-Z n-za-mN-ZA-M', "tr '\\n' ' '", 'tr -cd a-zA-Z0-9', "tr -s ' ' '\\n'"],
  ...['jq -R .', 'jq -R \'split("")\'', 'jq -sR length', 'jq -R explode'],
]

/** Commands that the gate lets through; the rest never runs. */
const accepted = (commands: readonly string[]) =>
  commands.filter((command) => judgeCommand(command).verdict === 'read_only')

const onFile = accepted(readers.map((reader) => `${reader} ${file}`))
const piped = accepted(filters.map((filter) => `cat ${file} | ${filter}`))
const longer = accepted(
  ['fold -w 5', 'cut -c3-', "sed 's/./&-/g'", "tr '=' ' '"].flatMap((filter) => [
    `grep -n . ${file} | ${filter}`,
    `cat -n ${file} | sort | ${filter}`,
    `tail -n 8 ${file} | ${filter} | fold -w 3`,
    `head -c 25 ${file} ${file} | ${filter}`,
  ]),
)

test('no program takes a secret apart before it is found', async () => {
  expect(onFile.length).toBeGreaterThan(60)
  expect(longer.length).toBe(16)
  const judge = async (command: string) => {
    const { stdout, stderr } = await runNear(command)
    expect(leaksIn(stdout + stderr)).toEqual([])
  }
  expect(await failingRows(rowsOf([...onFile, ...piped, ...longer], 70), judge)).toEqual([])
})

test('on a node no program takes a secret apart: several at once, packed files and searches below a folder', async () => {
  const commands = [
    `zgrep -n pass ${packed} ${packed}`,
    `zgrep -c Zq7 ${packed}`,
    `grep -rno . ${dir}`,
    `grep -rn 'e' ${dir}`,
    ...[`fold -w 4 ${file}`, `cat -n ${file} | sort | cut -c3-`, `zcat ${packed} | awk '{print $3}'`],
  ]
  for (const command of [...commands, `grep -rh = ${dir} | fold -w 3`, `tail -n 3 ${file} ${file} | cut -c2-`]) {
    const { stdout, stderr } = await run(command)
    expect(leaksIn(stdout + stderr), command).toEqual([])
  }
})

const guesses: [command: string, stdout: string][] = [
  [`grep -c 'password = Zq' APP`, '0\n'],
  [`grep -l 'Zq7' APP OTHER`, ''],
  [`grep -rl 'Zq7' DIR`, ''],
  [`awk '/Zq/ {print $1}' APP`, ''],
  [`sort -u APP | grep -c Zq`, '0\n'],
]
test('a pattern tells nothing of a secret', async () => {
  const judge = async ([command, stdout]: (typeof guesses)[number]) => {
    const named = command
      .replace('APP', file ?? '')
      .replace('OTHER', other ?? '')
      .replace('DIR', dir)
    expect(await runNear(named)).toMatchObject({ stdout })
  }
  expect(await failingRows(guesses, judge)).toEqual([])
})

/** They print the same as a shell would, where nothing is secret. */
const printing = [
  ...[
    'cat O',
    'cat -n O',
    'tac O O',
    'nl -ba O',
    'head -n 2 O',
    'head -2 O L',
    'head -qn1 O O',
    'head -v -n1 O',
    'head -c 7 O',
  ],
  ...[
    'head -n -2 O',
    'tail -n 2 O',
    'tail -n2 O L',
    'tail -n +3 O',
    'tail -c 6 O',
    'tail -50 L',
    'tail -c 2k L',
    'sort O',
    'sort -u O O',
  ],
  ...[
    'sort -r O | uniq -c',
    'uniq -c O',
    'wc -l O L',
    'cut -c2 O O',
    'column -c 40 O',
    'fold -w 2 O',
    "sed -n '2,3p' O",
    "sed 's/p/q/g' O",
  ],
  ...[
    "awk '{print $1}' O",
    "awk 'NR==2' O O",
    "awk -F p '{print $2}' O",
    'grep -n p O',
    'grep -c p O L',
    'grep p O O',
    'grep -h p O O',
  ],
  ...[
    'grep -l fig O L',
    'grep -H fig O',
    'grep -e fig -e pear O',
    "grep -i 'APPLE' -m1 O",
    'grep -on p O',
    'grep -A1 pear O',
    'grep nothing O',
  ],
  ...[
    'grep -- fig O',
    'grep -c of L',
    'tail -n 30000 L | head -n 1',
    'cat L | wc -l',
    'sort -n L | tail -n 1',
    'cat L | grep -c 9 | cat -n',
  ],
]
test('where nothing is secret, a command prints what it prints in a shell', async () => {
  const judge = async (command: string) => {
    const named = command.replace(/\b[OL]\b/g, (name) => (name === 'O' ? (other ?? '') : (log ?? '')))
    const expected = execFileSync('/bin/sh', ['-c', `${named} || true`], { encoding: 'utf8' })
    const { stdout, stderr } = await runNear(named)
    const kept = stdout.split('\n… ')[0] ?? ''
    expect(expected.startsWith(kept) && kept !== '').toBe(expected !== '')
    if (!stdout.includes(' bytes left out ')) expect(stdout).toBe(expected)
    expect(stderr).toBe('')
  }
  expect(await failingRows(rowsOf(printing, 20), judge)).toEqual([])
})

test('a search below a folder says what it left out, and keeps away from files that may hold secrets', async () => {
  const { stdout, exitCode, notes } = await run(`grep -rn listen ${dir}`)
  const lines = stdout.trimEnd().split('\n').sort()
  expect(lines).toEqual([`${file}:1:listen = 8080`, `${join(dir, 'sub', 'plain.conf')}:1:listen = 9090`])
  expect(exitCode).toBe(0)
  expect(notes).toEqual([
    'Files that may hold secrets were not searched. Of each other file the last 5,000 lines were searched.',
  ])
})

test('a search tells the same of a right guess at a secret as of a wrong one', async () => {
  const [right, wrong, inKey] = await Promise.all(
    [`${dir}`, `${dir}`, `${dir}/sub`].map((where, at) =>
      run(`grep -rnE '${at === 1 ? 'no such thing' : secret.slice(0, 5)}' ${where}`),
    ),
  )
  expect(right).toEqual(wrong)
  expect(inKey).toEqual(wrong)
})

/** A journal and a process list that hold the secret, with the program's own search. */
const logged = ['Jan 01 00:00:01 pve app[7]: listen on 80', `Jan 01 00:00:02 pve app[7]: password=${secret}`]
const bytes = [...Buffer.from(`${String.fromCharCode(27)}[31mpassword=${secret}`)]
const programs: Shell = {
  async run(node, stages, options) {
    const [[program = '', ...words] = []] = stages
    if (program !== 'journalctl' && program !== 'pgrep') return shell.run(node, stages, options)
    const asked = program === 'pgrep' ? words.at(-1) : words[words.indexOf('-g') + 1]
    const isSearch = program === 'pgrep' || words.includes('-g')
    const all =
      program === 'pgrep'
        ? [`7 /usr/bin/app --password=${secret}`, '8 /usr/sbin/nginx -g daemon']
        : words.includes('json')
          ? [`{"MESSAGE":[${bytes}]}`, `{"MESSAGE" : [ ${bytes.join(', ')} ]}`]
          : logged
    const found = isSearch ? all.filter((line) => new RegExp(asked ?? '').test(line)) : all
    const stdout = found.map((line) => `${line}\n`).join('')
    return { stdout, stderr: '', exitCode: found.length > 0 ? 0 : 1, truncated: false }
  },
}

test('a program with its own search reveals nothing of a secret by its matches', async () => {
  const through = redacted(programs)
  const told = async (command: string) => {
    expect(judgeCommand(command).verdict, command).toBe('read_only')
    const { stdout, exitCode } = await carryOut(through, { node: 'pve', stages: stagesOf(command) }, calm())
    return [stdout, exitCode]
  }
  for (const [program, ending] of [
    ['journalctl', ''],
    ['journalctl -n 1', ''],
    ['pgrep', ''],
  ]) {
    for (const guess of ['password=Z', 'password=[^Z]', '^(?!.*password=Z)password', '.*=Zq7']) {
      const [command, other] = [guess, guess.replace('Z', 'y')].map((pattern) =>
        program === 'pgrep' ? `pgrep -f '${pattern}'` : `${program} -g '${pattern}'${ending}`,
      )
      expect(await told(command ?? ''), command).toEqual(await told(other ?? ''))
    }
  }
  expect(await told("journalctl -g 'listen|nothing' -n 5")).toEqual([`${logged[0]}\n`, 0])
  expect(await told('journalctl -u app -g ^LISTEN --case-sensitive=false')).toEqual([`${logged[0]}\n`, 0])
  expect(await told('pgrep -af nginx')).toEqual(['8 /usr/sbin/nginx -g daemon\n', 0])
  expect(await told('pgrep -f nginx')).toEqual(['8\n', 0])
  expect(await told('pgrep -fc app')).toEqual(['1\n', 0])
  const [json] = await told('journalctl -o json -n 5')
  expect(leaksIn(String(json))).toEqual([])
  expect(json).toMatch(/^\{"MESSAGE":".*"\}\n\{"MESSAGE" : ".*"\}\n$/)
})

test('of the kernel’s settings all but its keys are told', async () => {
  const { stdout } = await run('sysctl -a')
  expect(stdout).toContain('kernel.')
  expect(stdout).not.toMatch(/fastopen_key|stable_secret/)
})

test('an unreadable file is reported with the program’s own message', async () => {
  expect(await run(`grep x ${dir}/missing`)).toMatchObject({
    stdout: '',
    stderr: `grep: ${dir}/missing: No such file or directory\n`,
    exitCode: 2,
  })
  expect(await run(`fold -w 4 ${dir}/missing ${other}`)).toMatchObject({
    stderr: `fold: ${dir}/missing: No such file or directory\n`,
    stdout: expect.stringMatching(/^pear\nappl\ne\n/),
  })
})

test('the middle of a much too long output is not searched, and the answer says so', async () => {
  writeFileSync(join(dir, 'long.txt'), `${'a line of thirty characters ..\n'.repeat(400_000)}`)
  const { stdout, unreadBytes } = await run(`cat ${dir}/long.txt | wc -l`)
  expect(unreadBytes).toBeGreaterThan(3_000_000)
  expect(Number(stdout)).toBeLessThan(400_000)
})

test('a container described as a whole tells none of its variables, however it is filtered', async () => {
  const inspected = `${JSON.stringify([{ Name: 'web', Config: { Env: [`X=${secret}`], Cmd: ['app', secret] } }], null, 4)}\n`
  const docker: Shell = {
    run: async (node, stages, options) =>
      stages[0]?.[0] === 'docker'
        ? { stdout: inspected, stderr: '', exitCode: 0, truncated: false }
        : shell.run(node, stages, options),
  }
  const through = redacted(docker)
  for (const filter of ['', ' | fold -w 4', ' | grep -o .', " | tr -d '[:space:]'"]) {
    const { stdout } = await carryOut(through, { node: 'pve', stages: stagesOf(`docker inspect web${filter}`) }, calm())
    expect(leaksIn(stdout), filter).toEqual([])
    if (filter === '') expect(JSON.parse(stdout)).toMatchObject([{ Name: 'web', Config: { Env: ['X=[not shown]'] } }])
  }
})

test('a pattern in a path matches the same files as in a shell, without hidden ones', async () => {
  writeFileSync(join(dir, '.hidden.conf'), '')
  writeFileSync(join(dir, 'with a blank.conf'), '')
  const folders = { [`${dir}/*.conf`]: 2, [`${dir}/s?b/*`]: 2, [`${dir}/*/*.conf`]: 1, [`${dir}/none*`]: 0 }
  for (const [pattern, count] of Object.entries(folders)) {
    const { stdout } = await safe.run('pve', [listingOf(pattern)], calm())
    const expected = execFileSync('/bin/sh', ['-c', `ls -d ${pattern} 2>/dev/null || true`], { encoding: 'utf8' })
    expect(pathsIn(stdout)).toEqual(expected.split('\n').filter((path) => path !== ''))
    expect(pathsIn(stdout)).toHaveLength(count)
  }
})
