import { meantName } from '../lib/meant-name.ts'

/**
 * `longestText`: the part of an answer that is searched. `longestCall`: the part of a call that must contain the tool’s name. `longestTag`: the
 * longest tag. All in characters. `mostTags`: maximum tags that are examined.
 */
const longestText = 60_000
const longestCall = 4_000
const longestTag = 80
const mostTags = 500

const nameStart = /^[\s"'`]{0,16}([A-Za-z_][\w.:-]{0,80})/
/** Words with which the chat templates of models begin a call, in brackets of any kind. */
const openingWord = /tool|function|plugin|action|invoke|python_tag/i
const openingBracket = /^\[\/?(?:available_|end_)?tool_?(?:calls?|request)\]$/i
const valueKey = /\b(?:function|tool|tool_call|invoke|name)\s{0,4}=/i
/** Matches the text that may stand between the word that begins a call and the tool’s name. */
const betweens = /^\s{0,16}(?:function\s{0,4}<[|｜]tool▁sep[|｜]>|call:|```json)?\s{0,16}/
const nameKey =
  /["'](?:name|tool|tool_name|toolname|function|function_name|recipient_name|action)["']\s{0,8}:\s{0,8}["']([^"'\n]{1,100})["']/gi
const inputKey = /["'](?:arguments|args|parameters|params|input|tool_input|action_input|kwargs|toolinput)["']\s{0,8}:/i
/** The language names of code blocks that are calls and not examples. */
const callFence = /^(?:tool|function)_?(?:code|calls?|use)$/i

/**
 * Finds the tools that a model called in the text of its answer, in any form that models are known to write. The tools are only named: JARVIS never
 * runs a call from text. A form that is only explained, in prose or in a code block among other text, is ignored.
 * @param offered the names of the tools that the model was given
 */
export function writtenCalls(answer: string, offered: readonly string[]): string[] {
  if (offered.length === 0) return []
  const { text, isAlone } = outsideCode(answer.slice(0, longestText))
  const given = [...tagged(text, offered), ...inLines(text), ...(isAlone ? alone(text.trim()) : [])]
  // A name without `_`, `.` or `:` may be an ordinary word, so it must equal a tool’s name exactly.
  const named = given.filter((name) => /[_.:]/.test(name) || offered.includes(name))
  return [...new Set(named.flatMap((name) => meantName(name, offered) ?? []))]
}

const nameAt = (text: string, at: number): string[] =>
  nameStart.exec(text.slice(at, at + longestTag + 20))?.slice(1) ?? []

/** Returns the tool names in the JSON that begins at `at`, if the JSON has arguments. */
function namesInJson(text: string, at: number): string[] {
  const json = text.slice(at, at + longestCall)
  return inputKey.test(json) ? [...json.matchAll(nameKey)].flatMap(([, name]) => name ?? []) : []
}

/** `<tool_call>{…}`, `<function=NAME>`, `<invoke name="NAME">`, `[TOOL_CALLS]…`, `<|channel|>commentary to=functions.NAME`, `<NAME>…`. */
function tagged(text: string, offered: readonly string[]): string[] {
  return [...text.matchAll(/[<[]/g)].slice(0, mostTags).flatMap(({ index, 0: mark }): string[] => {
    const length = text.slice(index, index + longestTag).indexOf(mark === '<' ? '>' : ']') + 1
    if (length === 0) return []
    const tag = text.slice(index, index + length)
    const inner = tag.slice(1, -1)
    if (mark === '[' ? !openingBracket.test(tag) : inner.startsWith('/')) return []
    if (mark === '<' && offered.includes(inner) && text.includes(`</${inner}>`)) return [inner]
    if (inner === '|channel|') {
      const header = text.slice(index + length, index + length + longestTag)
      const to = header.split('<', 1)[0]?.indexOf('to=') ?? -1
      return to < 0 ? [] : nameAt(header, to + 3)
    }
    if (!openingWord.test(inner)) return []
    const value = valueKey.exec(inner)
    if (value !== null) return nameAt(inner, value.index + value[0].length)
    const begins = index + length + (betweens.exec(text.slice(index + length))?.[0].length ?? 0)
    return /[[{]/.test(text[begins] ?? '') ? namesInJson(text, begins) : nameAt(text, begins)
  })
}

/** JSON at the start of a line, `functions.NAME:0{…}`, `commentary to=NAME`, and `Action: NAME` before `Action Input:`. */
function inLines(text: string): string[] {
  const names: string[] = []
  let at = 0
  let json = 0
  for (const line of text.split('\n')) {
    const words = line.trim()
    if (/^[[{]/.test(words) && json < mostTags) {
      json += 1
      names.push(...namesInJson(text, at))
    }
    if (/^functions\.\w{1,80}:\d{1,4}\s{0,4}[{<]/.test(words)) names.push(words)
    const to = /commentary\s{0,4}to=/.exec(words)
    if (to !== null) names.push(...nameAt(words, to.index + to[0].length))
    if (/^\**Action:/.test(words) && /^\s*\**Action Input:/.test(text.slice(at + line.length)))
      names.push(...nameAt(words, words.indexOf(':') + 1))
    at += line.length + 1
  }
  return names
}

/** Finds the name if the whole text is one call: `NAME(vmid=105)`, `[NAME(…)]`, `NAME {…}`, `{"NAME": {…}}`, `/NAME vmid=105`. */
function alone(text: string): string[] {
  if (text.startsWith('/')) return text.includes('=') ? nameAt(text, 1) : []
  const key = /^\{\s{0,16}["']([^"'\n]{1,100})["']\s{0,16}:\s{0,16}\{/.exec(text)
  if (key !== null) return text.endsWith('}') ? key.slice(1) : []
  const call = /^\[?\s{0,16}(?:print\()?(?:await )?([A-Za-z_][\w.:-]{0,80})\s{0,16}(?:\[ARGS\])?([({])/.exec(text)
  if (call === null) return []
  const isWhole = call[2] === '{' ? text.endsWith('}') : /^[)\];\s]{1,9}$/.test(text.slice(text.lastIndexOf(')')))
  return isWhole ? call.slice(1, 2) : []
}

/**
 * Returns a text without its code. If the text has code blocks that are calls, or is only code, returns that code. `isAlone`: the text may be one
 * call as a whole.
 */
function outsideCode(answer: string): { text: string; isAlone: boolean } {
  const rest: string[] = []
  const code: string[] = []
  const calls: string[] = []
  let hasInline = false
  let fence: { mark: string; isCall: boolean } | undefined
  for (const line of answer.split('\n')) {
    const words = line.trim()
    const mark = /^(?:`{3,}|~{3,})/.exec(words)?.[0]
    if (fence !== undefined) {
      if (mark !== undefined && mark === words && mark.startsWith(fence.mark)) fence = undefined
      else {
        code.push(line)
        if (fence.isCall) calls.push(line)
      }
    } else if (mark === undefined) {
      const parts = line.split(/`+/)
      const isBalanced = parts.length % 2 === 1
      hasInline ||= isBalanced && parts.length > 1
      rest.push(isBalanced ? parts.filter((_, at) => at % 2 === 0).join(' ') : line)
    } else fence = { mark, isCall: callFence.test(words.slice(mark.length).trim()) }
  }
  const text = rest.join('\n')
  if (code.length > 0 && text.trim() === '') return { text: code.join('\n'), isAlone: true }
  if (calls.length > 0) return { text: calls.join('\n'), isAlone: true }
  return { text, isAlone: !hasInline && code.length === 0 }
}
