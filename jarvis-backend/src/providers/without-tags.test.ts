import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import type { Model, Turn } from '../agent/model.ts'
import { learnedInMemory } from './learned.ts'
import { withoutTags } from './without-tags.ts'

const request = { system: '', messages: [], tools: [], mayCallTools: false }
const never = new AbortController().signal

/** A model that streams each reply in these pieces; a piece in round brackets comes as reasoning by itself. */
function told(
  replies: readonly (readonly string[])[],
  learned = learnedInMemory(),
  stopReason: Turn['stopReason'] = 'end_turn',
) {
  const left = [...replies]
  const model: Model = {
    id: 'p/m',
    async generate(_request, sink) {
      const pieces = left.shift() ?? []
      const isThought = (piece: string) => /^\(.*\)$/s.test(piece)
      for (const piece of pieces) isThought(piece) ? sink.thinking(piece.slice(1, -1)) : sink.text(piece)
      const thought = pieces.filter(isThought).map((piece) => piece.slice(1, -1))
      const text = pieces.filter((piece) => !isThought(piece)).join('')
      return {
        content: [
          ...(thought.length > 0 ? [{ type: 'thinking' as const, text: thought.join('') }] : []),
          ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ],
        stopReason,
        usage: noUsage,
      }
    },
  }
  const split = withoutTags(model, learned)
  return async (isFinal = false) => {
    let live = { text: '', thinking: '' }
    let backs = 0
    const sink = {
      text(delta: string) {
        live.text += delta
      },
      thinking(delta: string) {
        live.thinking += delta
      },
      takeBack() {
        backs += 1
        live = { text: '', thinking: live.thinking + live.text }
      },
    }
    const { content } = await split.generate({ ...request, ...(isFinal && { isFinal }) }, sink, never)
    const of = (type: 'text' | 'thinking') =>
      content.flatMap((piece) => (piece.type === type ? piece.text : [])).join('')
    const thinking = of('thinking').trim()
    return { text: of('text'), thinking, live, backs }
  }
}

const fence = '```'
/** A long text that may be an answer. */
const prose = 'All guests run and all backups are there'.repeat(12)
type Row = [came: string, text: string, thinking: string]
/** Opened in the middle of the answer, or as a channel, and never closed. */
const rest: Row[] = [
  ['analysisWe look.', 'analysisWe look.', ''],
  ['It begins so:\n<think>\nand goes on.', 'It begins so:\n<think>\nand goes on.', ''],
  ['<think>Hm</think>Yes.\n<think>\nMore.', 'Yes.\n<think>\nMore.', 'Hm'],
]
const isRest = new Set(rest.map(([came]) => came))
/** The reply as it came, its answer and its reasoning. */
const rows: Row[] = [
  ['Yes.', 'Yes.', ''],
  ['<think>Hm</think>Yes.', 'Yes.', 'Hm'],
  ['\n<think>\nHm\n</think>\n\nYes.', 'Yes.', 'Hm'],
  ['< THINK >Hm</ Think >Yes.', 'Yes.', 'Hm'],
  ['<thinking>Hm</thinking>Yes.', 'Yes.', 'Hm'],
  ['<thought>Hm</thought>Yes.', 'Yes.', 'Hm'],
  ['<reasoning>Hm</reasoning>Yes.', 'Yes.', 'Hm'],
  ['<seed:think>Hm</seed:think>Yes.', 'Yes.', 'Hm'],
  ['[THINK]Hm[/THINK]Yes.', 'Yes.', 'Hm'],
  ['◁think▷Hm◁/think▷Yes.', 'Yes.', 'Hm'],
  ['<|START_THINKING|>Hm<|END_THINKING|>Yes.', 'Yes.', 'Hm'],
  ['<|channel>thought\nHm<channel|>Yes.', 'Yes.', 'Hm'],
  ['<think><think>Hm</think>Yes.', 'Yes.', 'Hm'],
  ['<think>a < b</b> [x]</think>Yes.', 'Yes.', 'a < b</b> [x]'],
  ['<think>Hm</thinking>Yes.', 'Yes.', 'Hm'],
  // Never closed.
  ['<think>Hm', '', 'Hm'],
  ['<think>Hm</', '', 'Hm</'],
  // Opened by the prompt.
  ['Hm</think>Yes.', 'Yes.', 'Hm'],
  ['Hm\n</thinking>\n\nYes.', 'Yes.', 'Hm'],
  ['Hm[/THINK]Yes.', 'Yes.', 'Hm'],
  ['Hm◁/think▷Yes.', 'Yes.', 'Hm'],
  ['a < b\n```\nx\n```\nso </THINK>\nYes.', 'Yes.', 'a < b\n```\nx\n```\nso'],
  ['Hm</think>a\n</think>Yes.', 'Yes.', 'Hma'],
  ['</think>Yes.', 'Yes.', ''],
  ['Hm</think>', '', 'Hm'],
  // Between two parts of the answer.
  ['First.\n<think>Hm</think>\nYes.', 'First.\n\nYes.', 'Hm'],
  // Words about tags.
  ['The tag `</think>` closes it.', 'The tag `</think>` closes it.', ''],
  ['Yes. <think>Hm</think> is how.', 'Yes. <think>Hm</think> is how.', ''],
  [
    `It writes\n${fence}\n<think>Hm</think>\n${fence}\nso.`,
    `It writes\n${fence}\n<think>Hm</think>\n${fence}\nso.`,
    '',
  ],
  [`${fence}\nHm</think>\n${fence}`, `${fence}\nHm</think>\n${fence}`, ''],
  ['<think>Hm</think>Use `</think>` so.', 'Use `</think>` so.', 'Hm'],
  ['1 <t 2 [x] <th>Yes.', '1 <t 2 [x] <th>Yes.', ''],
  ['<thinker>Yes.', '<thinker>Yes.', ''],
  ['<think', '<think', ''],
  ['    code', '    code', ''],
  [' \n', '', ''],
  // Channels of gpt-oss.
  ['<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>', 'Yes.', 'Hm'],
  ['<|start|>assistant<|channel|>analysis<|message|>Hm<|start|>assistant<|channel|>final<|message|>Yes.', 'Yes.', 'Hm'],
  ['<|channel|>final <|constrain|>json<|message|>{}', '{}', ''],
  [
    '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>final<|message|>Yes.',
    'I look.Yes.',
    '',
  ],
  ['Hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.', 'Yes.', 'Hm<|end|>'],
  ['<|channel|>analysis<|message|>Hm', '', 'Hm'],
  ['<|channel|>analysis<|message|>Hm<|end|><|start|>assis', '', 'Hm'],
  [
    '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>commentary to=functions.stop_vm <|constrain|>json<|message|>{"vmid":1}<|call|>',
    '<|start|>assistant<|channel|>commentary to=functions.stop_vm <|constrain|>json<|message|>{"vmid":1}',
    'Hm',
  ],
  // Channels without their marks.
  ['analysisWe look.assistantfinalYes.', 'Yes.', 'We look.'],
  ['analysisWe look.assistantcommentaryI look.', 'I look.', 'We look.'],
  ['analysisOne.assistantanalysisTwo.assistantfinal\nYes.', 'Yes.', 'One.Two.'],
  [
    'analysisHm.assistantcommentary to=functions.stop_vm json{"vmid":1}',
    '<|start|>assistant<|channel|>commentary to=functions.stop_vm<|message|>{"vmid":1}',
    'Hm.',
  ],
  ['analysis of the load', 'analysis of the load', ''],
  ['The analysisWe made. assistantfinal', 'The analysisWe made. assistantfinal', ''],
  // Alone, in the middle of an answer.
  ['The tag </think> closes it.', 'The tag </think> closes it.', ''],
  ['It writes "</think>" there.', 'It writes "</think>" there.', ''],
  [`${prose}.</think>More.`, `${prose}.</think>More.`, ''],
  [`<think>Hm</think>${prose}\n</think>\nMore.`, `${prose}\n\nMore.`, 'Hm'],
  [`${prose}\n</think>\nYes.`, 'Yes.', prose],
  [`${prose}</think>\n\nYes.`, 'Yes.', prose],
  ...rest,
  ['Phi ends with <|end|>', 'Phi ends with <|end|>', ''],
  ['It begins with <|start|>.', 'It begins with <|start|>.', ''],
  [`It begins with <|start|>.${' And'.repeat(99)}`, `It begins with <|start|>.${' And'.repeat(99)}`, ''],
]

test.each([
  [1, false],
  [3, false],
  [1_000, false],
  [1, true],
  [1_000, true],
])(
  'reasoning in any tags is reasoning, in pieces of %d characters; nothing can be taken back: %s',
  async (size, isFinal) => {
    for (const [came, text, thinking] of rows) {
      const pieces = Array.from({ length: Math.ceil(came.length / size) }, (_, at) =>
        came.slice(at * size, (at + 1) * size),
      )
      const reply = await told([pieces])(isFinal)
      expect({ came, text: reply.text, thinking: reply.thinking }).toEqual({ came, text, thinking })
      // The text that was shown while streaming ends as the text that is kept.
      expect({ came, ...reply.live }).toMatchObject({ came, text })
      // Text that was told as reasoning stays reasoning while streaming, even if it was the rest of the answer.
      if (!isRest.has(came)) expect({ came, thinking: reply.live.thinking.trim() }).toEqual({ came, thinking })
    }
  },
)

test('reasoning that comes by itself leaves tags in the answer alone, but for one that only closes it', async () => {
  expect(await told([['(Hm)', '</think>\n\nYes.']])()).toMatchObject({ text: 'Yes.', thinking: 'Hm' })
  expect(await told([['(Hm)', 'A </think> closes.']])()).toMatchObject({ text: 'A </think> closes.', thinking: 'Hm' })
})

test('a model whose prompt opens its reasoning is known by its first reply, over a restart too, and as long as it does so', async () => {
  const learned = learnedInMemory()
  const first = await told([['Hm</think>Yes.']], learned)()
  expect(first.live).toEqual({ text: 'Yes.', thinking: 'Hm' })
  const replies = told([['Hm', '</think>Yes.'], ['No ', 'thoughts.'], ['Plain.']], learned)
  expect(await replies()).toMatchObject({ text: 'Yes.', thinking: 'Hm', live: { text: 'Yes.', thinking: 'Hm' } })
  expect(await replies()).toMatchObject({ text: 'No thoughts.', thinking: '', live: { text: 'No thoughts.' } })
  expect(await replies()).toMatchObject({ text: 'Plain.', live: { text: 'Plain.', thinking: '' } })
})

test('a reply that its limit cuts within reasoning that the prompt had opened has no answer', async () => {
  const learned = learnedInMemory()
  await told([['Hm</think>Yes.']], learned)()
  expect(await told([['Hm, and']], learned, 'max_tokens')()).toMatchObject({ text: '', thinking: 'Hm, and' })
})

test('where nothing can be taken back, the first reply of a model is told when it is known what it is', async () => {
  const opens = await told([['Hm', '</think>Yes.']])(true)
  expect(opens).toMatchObject({ text: 'Yes.', live: { text: 'Yes.', thinking: 'Hm' }, backs: 0 })
  const learned = learnedInMemory()
  const replies = told(
    [
      ['No ', 'thoughts.'],
      ['(Hm)', 'Yes.'],
    ],
    learned,
  )
  expect(await replies(true)).toMatchObject({ live: { text: 'No thoughts.', thinking: '' }, backs: 0 })
  expect(await replies(true)).toMatchObject({ live: { text: 'Yes.', thinking: 'Hm' } })
  // A model that is known is told as it streams.
  expect(await told([[`${prose}\n`, '</think>Yes.']], learned)(true)).toMatchObject({ text: 'Yes.', backs: 1 })
  const own = await told([['<think>Hm</think>Yes.']])(true)
  expect(own).toMatchObject({ text: 'Yes.', live: { text: 'Yes.', thinking: 'Hm' } })
})

test('reasoning in the middle of an answer that a call follows was reasoning', async () => {
  const model: Model = {
    id: 'p/m',
    generate: async () => ({
      content: [
        { type: 'text', text: 'I look.\n<think>\nHm' },
        { type: 'tool_call', toolUseId: 'a', toolName: 'get_vms', toolInput: {} },
      ],
      stopReason: 'tool_use',
      usage: noUsage,
    }),
  }
  const sink = { text() {}, thinking() {} }
  const { content } = await withoutTags(model, learnedInMemory()).generate(request, sink, never)
  expect(content).toMatchObject([
    { type: 'text', text: 'I look.\n' },
    { type: 'thinking', text: 'Hm' },
    { type: 'tool_call' },
  ])
})

test('a model that answered plainly and reasons now is not heard thinking where nothing can be taken back', async () => {
  const learned = learnedInMemory()
  await told([['Plain.']], learned)(true)
  const replies = told(
    [
      ['Okay, so the ', 'user wants', ' a list. Two stand.', '\n</think>\n\n', 'Two.'],
      ['Two guests are stopped, and all others run.', ' Both are old.'],
      ['Okay, the user is right.'],
    ],
    learned,
  )
  // It began by thinking, so from then on it is taken to do so.
  expect(await replies(true)).toMatchObject({ live: { text: 'Two.' }, text: 'Two.' })
  expect(await replies(true)).toMatchObject({
    live: { text: 'Two guests are stopped, and all others run. Both are old.' },
  })
  expect(await replies(true)).toMatchObject({ live: { text: 'Okay, the user is right.' } })
  // A model's behaviour at one effort is not assumed at another.
  expect(['reasoning:plain', 'reasoning:plain:high'].map(learned.has)).toEqual([true, false])
})
