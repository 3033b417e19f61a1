import { unquoted } from './act-inputs.ts'
import type { Act } from './acts.ts'
import { clicked } from './inquiries/clicked.ts'
import { pageRead, textWords } from './inquiries/page-read.ts'
import { quote, says, unquote } from './says.ts'
import type { Outcome } from './seen.ts'
import { addressOf, opening } from './web.ts'
import { plain } from './words.ts'

/** Sentences about the browser in the sandbox. They contain “browser” or “page”, so they cannot mean a guest. */
export const browserActs: readonly Act[] = [
  {
    tool: 'open_page',
    on: 'nothing',
    says: opening(' (?:in|with|using) (?:the|a|your) browser'),
    inquiry: ({ words }) => pageRead(addressOf(words.url), 'open_page'),
  },
  {
    tool: 'get_page_text',
    on: 'nothing',
    says: says(
      'what (?:does|do) the (?:open )?page (?:say|show|contain)',
      '(?:what (?:is|stands) on|read|show(?: me)?) the (?:open )?page(?: in the browser)?',
    ),
    input: () => ({}),
  },
  {
    tool: 'take_screenshot',
    on: 'nothing',
    says: says('(?:take|make|show(?: me)?) (?:a |the )?(?:screenshot|picture) of the (?:open )?(?:page|browser)'),
    input: () => ({}),
  },
  {
    tool: 'click_element',
    on: 'nothing',
    says: says(`click (?:on )?(?:the )?(?:button |link )?(?<text>${quote}.+?${unquote})(?: (?:on|in) the page)?`),
    inquiry: ({ words }) => clicked(unquoted(words.text)),
  },
  {
    tool: 'go_back',
    on: 'nothing',
    says: says('go back (?:to the (?:last|previous) page|in the browser)'),
    input: () => ({}),
  },
]

export const browserReads: readonly string[] = ['get_page_text', 'take_screenshot', 'go_back']

/** Shows the text of the open page. A picture appears in the chat by itself. */
export const browserWords = (outcome: Outcome): string =>
  outcome.toolName === 'get_page_text' ? textWords(outcome) : plain(outcome.text.split('\n', 1)[0] ?? '')
