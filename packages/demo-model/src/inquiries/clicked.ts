import { notOffered } from '../areas.ts'
import { quotedInline } from '../words.ts'
import { type Finding, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

/** Looks for an element of the open page by its name, and asks for a click on it. */
export function clicked(name: string): Inquiry {
  const look = read('read_page', { find: name.slice(0, 200) })
  return {
    find(seen): Reads | Finding {
      const page = seen.of(look)
      if (page === undefined) return { reads: [look] }
      if (page.isOff) return { say: notOffered('click_element') }
      const refused = notDone(page, 'the page')
      if (refused !== undefined) return { say: refused }
      const lines = [...page.text.matchAll(/^ *- \w+ "([^"]*)"[^\n]*?\[(\d+\.\d+)\]/gm)]
      const exact = lines.filter(([, said]) => said?.toLowerCase() === name.toLowerCase())
      const refs = (exact.length > 0 ? exact : lines).flatMap(([, , ref]) => ref ?? [])
      const [ref] = refs
      if (ref === undefined) return { say: `Nothing on the open page is called ${quotedInline(name)}, sir.` }
      if (refs.length > 1)
        return {
          say: `${refs.length} things on the page are called so, sir: ${quotedInline(name)}. Say more of its name.`,
        }
      return { say: '', act: read('click_element', { ref }) }
    },
    check: (_seen, act) => ({
      say: notDone(act, quotedInline(name)) ?? `It is clicked, sir. ${act.text.split('\n', 1)[0] ?? ''}`,
    }),
  }
}
