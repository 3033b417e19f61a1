import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { judgeCommand, parseCommand, quote, quotePipe } from 'ssh-grammar/judge-command'
import { filters, programs } from 'ssh-grammar/programs/index'
import { describe, expect, test } from 'vitest'
import { runs } from '../../scripts/property-runs.ts'
import { changingCommands, hostileCommands, neededCommands } from './corpora/ssh.ts'
import { anyCharacter } from './support/any-character.ts'

const verdictOf = (command: string) => judgeCommand(command).verdict
const stagesOf = (command: string) => {
  const parsed = parseCommand(command)
  return parsed.ok ? parsed.stages : []
}

describe('a hostile command is refused, with a reason', () => {
  test.each(hostileCommands)('%s', (command) => {
    expect(judgeCommand(command)).toEqual({ verdict: 'refused', reason: expect.stringMatching(/\S/) })
  })

  test.each([
    ['a newline', 'ls\nreboot'],
    ['a carriage return', 'ls\rreboot'],
    ['a tab', 'ls\treboot'],
    ['a NUL', 'ls \0'],
    ['an escape', 'ls \u001b[2J'],
    ['a newline in quotes', "ls 'a\nb'"],
    ['a script of two lines', "sed -n '1p\nw /tmp/x' /etc/hosts"],
    ['a zero-width space in quotes', "ls 'a\u200bb'"],
    ['a direction mark in quotes', "ls 'a\u202eb'"],
    ['a line separator', "ls 'a\u2028b'"],
    ['half a surrogate pair', "ls '\ud800'"],
    ['a no-break space', 'ls\u00a0-la'],
    ['a full-width semicolon', 'ls；reboot'],
    ['a full-width pipe', 'ls ｜ sh'],
    ['more than 4 kB', `ls ${'a'.repeat(4096)}`],
    ['more than 4 kB in bytes', `ls '${'é'.repeat(2048)}'`],
    ['more words than anybody writes', `ls ${'a '.repeat(200)}`],
    ['a pipe of nine programs', `ls${' | cat'.repeat(8)}`],
    ['nothing', ''],
    ['only spaces', '   '],
  ])('%s', (_name, command) => {
    expect(verdictOf(command)).toBe('refused')
  })

  test('whatever is put before it, behind it or around it', () => {
    for (const command of neededCommands) {
      for (const odd of [`${command}; reboot`, `${command} && reboot`, `${command} > /etc/passwd`, `${command} | sh`])
        expect(verdictOf(odd), odd).toBe('refused')
      expect(verdictOf(`A=1 ${command}`), command).toBe('refused')
      expect(verdictOf(`sudo ${command}`), command).toBe('refused')
      expect(verdictOf(`sh -c ${quote([command])}`), command).toBe('refused')
      expect(verdictOf(`${command} --jarvis-unknown`), command).toBe('refused')
    }
  })

  test('the corpora are long enough to mean something, and no row stands in two', () => {
    const all = [hostileCommands, neededCommands, changingCommands]
    expect(hostileCommands.length).toBeGreaterThanOrEqual(2_000)
    expect(neededCommands.length).toBeGreaterThanOrEqual(800)
    expect(new Set(all.flat()).size).toBe(all.flat().length)
  })
})

describe('a command operators need is read-only', () => {
  test.each(neededCommands)('%s', (command) => {
    expect(judgeCommand(command)).toEqual({ verdict: 'read_only', stages: stagesOf(command) })
  })
})

describe('a bounded change is asked about', () => {
  test.each(changingCommands)('%s', (command) => {
    expect(judgeCommand(command)).toMatchObject({ verdict: 'change', stages: stagesOf(command) })
  })

  test.each([
    ['systemctl restart nginx', 'It restarts nginx, which is away for some seconds.', 'nginx'],
    ['systemctl disable nginx --now', 'It makes nginx no longer start with the node, and stops it now.', 'nginx'],
    ['docker stop -t 5 web', 'It stops the container web, which stays away until somebody starts it.', 'web'],
    ['docker start web', 'It starts the container web.', 'web'],
    ['apt update', 'It fetches the lists of available packages; nothing is installed.', undefined],
    ['zpool scrub tank', 'It reads all of tank to check it, which slows its disks for hours.', undefined],
    ['zpool scrub -s tank', 'It ends the scrub of tank.', undefined],
  ])('%s: what it does', (command, does, service) => {
    expect(judgeCommand(command)).toEqual({
      verdict: 'change',
      stages: stagesOf(command),
      does,
      ...(service !== undefined && { service }),
    })
  })
})

test.each([
  ['rm x', 'rm deletes files. Over SSH only commands proven to read may run.'],
  ['find / -exec reboot', '-exec makes find run programs.'],
  ['foo', 'foo is not a program known to read only. Over SSH only commands proven to read may run.'],
  ['dmesg -Tc', '-c makes dmesg clear the log after reading.'],
  ['ls --recursiv', 'ls: --recursiv is not an option known to read only.'],
  ['zpool destroy tank', 'zpool destroy is not known to read only.'],
  ['qm start 101', 'qm start starts a guest; use start_vm.'],
  ['cat /etc/shadow', 'cat: /etc/shadow may hold secrets.'],
  ['cat /root/.x', 'cat: /root/.x is hidden, and hidden files often hold secrets.'],
  ['df; reboot', '; joins commands. One command, or a pipe of plain ones; quote it if it is meant as text.'],
  ['df || reboot', '|| joins commands. One command, or a pipe of plain ones; quote it if it is meant as text.'],
  ['df |', 'A pipe needs a command on both sides.'],
  ['top -b', 'top must be given -n.'],
  ['date -x', 'date: -x is not an option known to read only.'],
  ['ps aux | grep x /etc/hosts', 'After a pipe, grep reads no file such as /etc/hosts.'],
  ['systemctl stop pveproxy', 'pveproxy is vital: a restart may cut JARVIS off from the Proxmox API.'],
  ['systemctl restart pvestatd', 'pvestatd belongs to the node itself. Use restart_service.'],
  ['systemctl restart reboot.target', 'reboot.target is not a service.'],
])('the reason for %s says which part', (command, reason) => {
  expect(judgeCommand(command)).toEqual({ verdict: 'refused', reason })
})

test.each([
  ['qm list 2>&1', [['qm', 'list']]],
  ['ls /nope 2> /dev/null', [['ls', '/nope']]],
  [
    'dmesg -T 2>/dev/null | tail -20',
    [
      ['dmesg', '-T'],
      ['tail', '-20'],
    ],
  ],
  ['/usr/bin/df -h', [['df', '-h']]],
  [
    '/usr/sbin/qm list 2>&1 | /usr/bin/grep running',
    [
      ['qm', 'list'],
      ['grep', 'running'],
    ],
  ],
])('%s runs as its programs and their words alone', (command, stages) => {
  expect(judgeCommand(command)).toEqual({ verdict: 'read_only', stages })
})

test('after a pipe, a program that may not stand there is named, with those that may', () => {
  const judged = judgeCommand('ps aux | xargs kill')
  expect(judged).toMatchObject({
    reason: expect.stringMatching(/^xargs runs programs\. After a pipe only grep, .*jq may/),
  })
})

test.each([
  ['a  b', [['a', 'b']]],
  [' a ', [['a']]],
  [`a'b c'"d"`, [['ab cd']]],
  [`a ''`, [['a', '']]],
  [String.raw`a "b\"c\\d\e"`, [['a', String.raw`b"c\d\e`]]],
  [`a '$x;|"'`, [['a', '$x;|"']]],
  [`a "it's"`, [['a', "it's"]]],
  [`a 'ü'`, [['a', 'ü']]],
  ['a|b', [['a'], ['b']]],
  ['a x | b "|" | c', [['a', 'x'], ['b', '|'], ['c']]],
])('%s is split as a shell would', (command, stages) => {
  expect(parseCommand(command)).toEqual({ ok: true, stages })
})

test('a real shell splits a quoted argv into exactly the same words', () => {
  const argv = ['printf', '%s\\0', "a'b", '$x', '`x`', ' ', 'a\nb', '*', '~', '-n', 'A=1', '', '\\', '"', '!', '#', 'é']
  const seen = execFileSync('/bin/sh', ['-c', quote(argv)], { encoding: 'utf8' })
  expect(seen.split('\0').slice(0, -1)).toEqual(argv.slice(2))
})

test('a program named like a word of the shell is run as a program', () => {
  expect(quote(['if', 'if'])).toBe("'if' if")
})

const words = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 6 })

test('no backslash stands in single quotes, where fish would let it hide the closing one', () => {
  expect(quote(['grep', 'a\\', "'; reboot"])).toBe(`grep 'a'"\\\\"'' ''"'"'; reboot'`)
})

test('what is quoted and read again is the same, however often', () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), (stages) => {
      const parsed = parseCommand(quotePipe(stages.map((argv) => argv.map((word) => word.replaceAll('\0', '')))))
      if (!parsed.ok) return
      expect(parsed.stages).toEqual(stages)
      const again = parseCommand(quotePipe(parsed.stages))
      expect(again).toEqual(parsed)
    }),
  )
  for (const command of [...neededCommands, ...changingCommands]) {
    const again = judgeCommand(quotePipe(stagesOf(command)))
    expect(again).toEqual(judgeCommand(command))
  }
})

const pieces = fc.constantFrom(
  ...neededCommands.flatMap((row) => row.split(' ')),
  ...hostileCommands.flatMap((row) => row.split(' ')),
  ...[';', '|', '$(', "'", '"', '--', '-', '\\', '\n', 'é', '__proto__', 'constructor', '--constructor'],
)
const anything = fc.oneof(
  fc.string({ maxLength: 4_096, size: 'max', unit: fc.constantFrom(...'a-/|\'" .$*\\{}=%0é\n') }),
  fc.string({ maxLength: 4_096, size: 'max', unit: anyCharacter }),
  fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(' ')),
)

test('any text up to 4 kB gets one verdict, and none of them throws', () => {
  fc.assert(
    fc.property(anything, (command) => {
      const judged = judgeCommand(command)
      judgeCommand('uptime')
      expect(judgeCommand(command)).toEqual(judged)
      if (judged.verdict === 'refused') expect(judged.reason.length).toBeLessThan(500)
      else expect(judged.stages).toEqual(stagesOf(command))
    }),
    runs(150),
  )
})

test('what runs is on the lists, stage by stage, whatever the command is made of', () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 12 }), (parts) => {
      const judged = judgeCommand(parts.join(' '))
      if (judged.verdict !== 'read_only') return
      const [first = [], ...rest] = judged.stages
      expect(programs.has(first[0] ?? '')).toBe(true)
      for (const [program = ''] of rest) expect(filters.has(program)).toBe(true)
    }),
    runs(300),
  )
})
