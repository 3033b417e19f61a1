import type { ModelFacts } from 'protocol'
import { seesPictures } from '../sight.ts'
import { windowByName } from '../windows.ts'
import { defined } from './listed-facts.ts'

type Known = readonly (readonly [name: RegExp, is: boolean])[]

/**
 * Models by the last part of their name, and if they call tools. The first matching row counts. No open model is listed as false, because people's
 * own servers give tools to models that were not made for them.
 */
const tools: Known = [
  [/^claude-(?:2|instant)/, false],
  [/^claude-/, true],
  [
    /^(?:o1-(?:mini|preview)|chatgpt-4o|gpt-3\.5-turbo-instruct|gpt-4(?:\.1|o)?-(?:audio|realtime|transcribe|tts|search))/,
    false,
  ],
  [/^(?:gpt-(?:3\.5-turbo|[45])|gpt-oss|o[134])/, true],
  [/^gemini-(?:1\.0|.*(?:image|tts|embedding))/, false],
  [/^gemini-/, true],
  [/^(?:sonar|text-embedding|whisper)/, false],
  [
    /^(?:qwen-?(?:2\.5|3)|llama-?(?:3\.[123]|4)|mistral-(?:small|medium|large|nemo)|ministral|command-r|deepseek-(?:chat|v3))/,
    true,
  ],
]

/** Models by the last part of their name, and if they think before the answer. The first matching row counts. */
const thinking: Known = [
  [/^claude-(?:2|instant|3-(?:5|haiku|opus|sonnet))/, false],
  [/^claude-/, true],
  [/^(?:o[134](?:-|$)|gpt-5|gpt-oss|gemini-(?:2\.5|[3-9])|deepseek-(?:reasoner|r1)|magistral|qwq)/, true],
  [/^(?:gpt-[34]|chatgpt-4o|gemini-[12]\.[05]|sonar$)/, false],
]

/** Facts that follow from a model's name alone. @param id `provider/model` */
export function namedFacts(id: string): ModelFacts {
  const name = (id.split('/').at(-1)?.toLowerCase() ?? '').replace(
    /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|meta|mistral|deepseek)\./,
    '',
  )
  const of = (table: Known) => table.find(([known]) => known.test(name))?.[1]
  return defined({
    tools: of(tools),
    pictures: seesPictures(id),
    thinking: of(thinking),
    windowTokens: windowByName(id),
  })
}
