import { unquoted } from './act-inputs.ts'
import type { Act } from './acts.ts'
import { fileEndings } from './file-names.ts'
import { changedKey, replacedText } from './inquiries/file-change.ts'
import { fileFound } from './inquiries/file-found.ts'
import { rehearsed } from './inquiries/rehearsed.ts'
import { quote, says, unquote } from './says.ts'

/** Matches a path of the workbench. It must contain a folder, so that no guest's name is taken for a path. */
const path = '["“`]?(?<path>(?!(?:vm|ct|lxc|qemu|guest|node|storage|service)/)[\\w.-]+(?:/[\\w.@+-]+)+)["”`]?'
/** Matches a file name without a folder. */
const fileName = `${quote}?(?<name>[\\w@+-][\\w.@+-]*\\.(?:${fileEndings}))${unquote}?`
/** Matches a root of the workbench, or a folder in one. */
const folder = '(?:the )?(?:folder |root )?["“`]?(?<path>[\\w.-]+(?:/[\\w.@+-]+)*)/?["”`]?'
const file = '(?:the )?(?:file )?'

/**
 * Sentences about files, commands and repositories of JARVIS's own machine. They contain a path or the word “sandbox”, so they cannot mean a guest.
 */
export const benchActs: readonly Act[] = [
  {
    tool: 'read_file',
    on: 'nothing',
    says: says(
      '(?:which|what) (?:files|folders|roots) (?:are there|can you (?:see|read)|do you have)',
      '(?:list|show)(?: me)? (?:the |your )?roots',
    ),
    input: () => ({}),
  },
  {
    tool: 'read_file',
    on: 'nothing',
    says: says(
      `(?:read|show|open|print|display|cat)(?: me)? ${file}${path}`,
      `what (?:is|stands|does it say) in ${file}${path}`,
    ),
    input: ({ words }) => ({ path: words.path }),
  },
  {
    tool: 'read_file',
    on: 'nothing',
    says: says(
      `(?:read|show|open|print|display|cat)(?: me)? ${file}${fileName}`,
      `what (?:is|stands|does it say) in ${file}${fileName}`,
    ),
    inquiry: ({ words }) => fileFound(words.name ?? ''),
  },
  {
    tool: 'glob_files',
    on: 'nothing',
    says: says(
      `(?:list|show)(?: me)? (?:all )?(?:the )?files (?:in|below|under|of) ${folder}`,
      `(?:which|what) files (?:are|lie) (?:there )?(?:in|below|under) ${folder}`,
    ),
    input: ({ words }) => ({ path: words.path, pattern: '**' }),
  },
  {
    tool: 'grep_files',
    on: 'nothing',
    says: says(
      `grep (?:for )?(?<text>${quote}.+?${unquote}|\\S+) (?:in|below|under) ${folder}`,
      `(?:search|look|find)(?: for)? (?<text>${quote}.+?${unquote}) (?:in|below|under) ${folder}`,
      `(?:search|look|find)(?: for)? (?<text>\\S+) in (?:the )?files (?:of|in|below) ${folder}`,
    ),
    input: ({ words }) => ({ pattern: unquoted(words.text), path: words.path, ignoreCase: true }),
  },
  {
    tool: 'edit_file',
    on: 'nothing',
    says: says(
      `(?:replace|change) (?<old>${quote}.+?${unquote}) (?:with|by|to|into) (?<made>${quote}.*?${unquote}) in ${file}${path}`,
    ),
    inquiry: ({ words }) => replacedText(words.path ?? '', unquoted(words.old), unquoted(words.made)),
  },
  {
    tool: 'edit_file',
    on: 'nothing',
    says: says(`(?:change|set|move) (?:the )?(?<key>[a-z][\\w.-]*) (?:in|of) ${file}${path} to (?<made>.+?)`),
    inquiry: ({ words }) => changedKey(words.path ?? '', words.key ?? '', unquoted(words.made)),
  },
  {
    tool: 'write_file',
    on: 'nothing',
    says: says(`(?:write|put|save) (?<text>${quote}.+?${unquote}) (?:to|into|in) ${file}${path}`),
    input: ({ words }) => ({ path: words.path, content: `${unquoted(words.text)}\n` }),
  },
  {
    tool: 'run_command',
    on: 'nothing',
    says: says(
      `(?:run|execute|try|rehearse) (?<text>${quote}.+${unquote}|.+?) in (?:the |a )?sandbox(?: (?:over|on|in|with|of) ${folder})?`,
      `(?:run|execute|try|rehearse) (?<text>${quote}.+${unquote}) over ${folder}`,
    ),
    inquiry: ({ words }) => rehearsed(unquoted(words.text), words.path),
  },
  {
    tool: 'read_git',
    on: 'nothing',
    says: says(
      `(?:(?:show|give)(?: me)? )?(?:the )?git (?<what>status|log|diff|branches) (?:of|in|for) ${folder}`,
      `what (?<what>changed) in (?:the )?(?:repository|repo|git of) ${folder}`,
    ),
    input: ({ words }) => ({
      repo: words.path,
      what: words.what?.toLowerCase() === 'changed' ? 'diff' : words.what?.toLowerCase(),
    }),
  },
  {
    tool: 'commit_files',
    on: 'nothing',
    says: says(`commit (?<file>[\\w.@+/-]+) in ${folder} (?:as|with|saying) (?<text>${quote}.+?${unquote})`),
    input: ({ words }) => ({ repo: words.path, paths: [words.file], message: unquoted(words.text) }),
  },
]
