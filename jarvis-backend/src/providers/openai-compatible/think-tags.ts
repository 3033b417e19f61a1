const opening = '<think>'
const closing = '</think>'

type Said = { text: string; thought: string }

/**
 * Separates reasoning that servers send in tags before the answer. Tags may arrive in pieces.
 * @returns `add` returns what is certain about a piece; `rest` what was held back
 */
export function createThinkTags() {
  let state: 'unclear' | 'thinking' | 'answering' = 'unclear'
  let held = ''

  function add(piece: string): Said {
    if (state === 'answering') return { text: piece, thought: '' }
    held += piece
    if (state === 'unclear') {
      const begun = held.trimStart()
      if (begun.length < opening.length && opening.startsWith(begun)) return { text: '', thought: '' }
      if (!begun.startsWith(opening)) return answer('')
      state = 'thinking'
      held = begun.slice(opening.length)
    }
    const end = held.indexOf(closing)
    if (end >= 0) {
      const thought = held.slice(0, end)
      held = held.slice(end + closing.length).trimStart()
      return answer(thought)
    }
    // The end of the text may be the start of the closing tag.
    const tag = held.lastIndexOf('<')
    const cut = tag >= 0 && closing.startsWith(held.slice(tag)) ? tag : held.length
    const thought = held.slice(0, cut)
    held = held.slice(cut)
    return { text: '', thought }
  }

  function answer(thought: string): Said {
    state = 'answering'
    const text = held
    held = ''
    return { text, thought }
  }

  return {
    add,
    remainder: (): Said => (state === 'thinking' ? { text: '', thought: held } : { text: held, thought: '' }),
  }
}
