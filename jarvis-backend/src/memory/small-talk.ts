import { wordsOf } from 'hybrid-index'

/** Words of greetings, thanks and orders. They say nothing about a message's subject, so no passage is recalled because of them. */
export const smallTalk: ReadonlySet<string> = new Set(
  wordsOf(`hello hi hey good morning evening afternoon night day today tonight now currently thanks thank please great nice fine ok okay
    yes no sure again show list tell give explain see say said know like want need make go get look help let lot long often many much far
    very really right well just time thing something anything everything some new jarvis sir`),
)
