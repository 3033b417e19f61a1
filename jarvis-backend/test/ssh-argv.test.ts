import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parseCommand, quote, quotePipe } from 'ssh-grammar/judge-command'
import { Client } from 'ssh2'
import { afterAll, beforeAll, expect } from 'vitest'
import { rowsOf, runs } from '../../scripts/property-runs.ts'
import { changingCommands, neededCommands } from './corpora/ssh.ts'
import { type Sshd, startSshd, sshdTest as test } from './support/sshd.ts'

let sshd: Sshd
let client: Client

beforeAll(async () => {
  sshd = await startSshd()
  client = new Client()
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject)
    const { host, port, user, clientKeyPath } = sshd
    client.connect({ host, port, username: user, privateKey: readFileSync(clientKeyPath) })
  })
})

afterAll(async () => {
  client.end()
  await sshd.close()
})

/** Output of one command line, as sshd hands it to the account's shell. */
const output = (line: string) =>
  new Promise<string>((resolve, reject) => {
    client.exec(line, (error, channel) => {
      if (error !== undefined) {
        reject(error)
        return
      }
      const pieces: Buffer[] = []
      channel.on('data', (piece: Buffer) => pieces.push(piece))
      channel.on('close', () => resolve(Buffer.concat(pieces).toString()))
      channel.stderr.on('data', (piece: Buffer) => reject(new Error(piece.toString())))
      channel.end()
    })
  })

/** A program of its own, no builtin of the shell: it prints each word it was given, and a NUL behind it. */
const printer = ['/usr/bin/printf', '%s\\0']
const end = '<end>'

/** The words each of `lines` is for a shell over there; all of them run in one command. */
async function wordsOf(lines: readonly string[]): Promise<string[][]> {
  const printed = await output(lines.map((line) => `${quote(printer)} ${line} '${end}'`).join('\n'))
  const found: string[][] = [[]]
  for (const word of printed.split('\0').slice(0, -1)) {
    if (word === end) found.push([])
    else found.at(-1)?.push(word)
  }
  return found.slice(0, -1)
}

function stagesOf(command: string): string[][] {
  const parsed = parseCommand(command)
  return parsed.ok ? parsed.stages : []
}

const word = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'ab \'"\\$`|&;<>(){}[]*?~!#%=-\n\t'), minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    '',
    '-n',
    '--',
    '$HOME',
    '$(id)',
    '`id`',
    '/*',
    '/et?',
    '/[b]in',
    '~',
    '{a,b}',
    "'",
    "''",
    '\\',
    'A=1',
    'if',
    '!!',
    'é',
    '\r',
  ),
)
const argv = fc.array(
  word.map((text) => text.replaceAll('\0', '').toWellFormed()),
  { minLength: 1, maxLength: 8 },
)

test('the far side sees exactly the words that were quoted, whatever is in them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(argv, { minLength: 40, maxLength: 40 }), async (commands) => {
      expect(await wordsOf(commands.map(quote))).toEqual(commands)
    }),
    runs(2),
  )
})

test('the words a command is judged by are those a shell would make of the command itself', async () => {
  const part = fc.oneof(
    fc.constantFrom(
      "'a b'",
      '"a b"',
      'a',
      '"\\""',
      '"\\\\"',
      '"\\n"',
      "'\\'",
      '"\'"',
      "'ü'",
      '"|"',
      "'$x`id`'",
      '"a"b\'c\'',
    ),
    fc.string({ unit: fc.constantFrom(...'ab/.-=:,@%+_^'), minLength: 1, maxLength: 9 }),
    argv.map(quote),
  )
  const space = fc.constantFrom(' ', '  ', " '' ", ' "" ', '')
  const written = fc.array(fc.tuple(part, space), { maxLength: 8 }).map((parts) => `x ${parts.flat().join('')}`)
  await fc.assert(
    fc.asyncProperty(fc.array(written, { minLength: 40, maxLength: 40 }), async (commands) => {
      const read = commands.filter((command) => parseCommand(command).ok)
      expect(read.length).toBeGreaterThan(0)
      expect(await wordsOf(read)).toEqual(read.flatMap(stagesOf))
    }),
    runs(2),
  )
})

test('commands of the corpora, at night all, keep their judged words, as written and when quoted again', async () => {
  const commands = rowsOf([...neededCommands, ...changingCommands], 120)
  const stages = commands.flatMap(stagesOf)
  expect(await wordsOf(stages.map(quote))).toEqual(stages)
  const plain = commands.filter((command) => stagesOf(command).length === 1)
  expect(await wordsOf(plain)).toEqual(plain.flatMap(stagesOf))
  // At night some hundred programs start, each of which takes three times as long on a throttled machine.
}, 60_000)

test('a pipe is a pipe there', async () => {
  const stages = [['printf', 'b\\na | c\\nb\\n'], ['sort'], ['uniq', '-c'], ['grep', '-v', '|'], ['tr', '-s', ' ']]
  expect(await output(quotePipe(stages))).toBe(' 2 b\n')
})
