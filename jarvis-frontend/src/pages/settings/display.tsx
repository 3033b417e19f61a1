import { useState } from 'react'
import { keepDisplay } from '../../api/auth.ts'
import { chooseDensity, type Density, densityChoice } from '../../app/density.ts'
import { chooseNothingHere, choosesHere, displayHere, takeDisplay } from '../../app/own-display.ts'
import { type Choice, chooseTheme, themeChoice } from '../../app/theme.ts'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { chosen } from '../../lib/chosen.ts'
import { keep } from '../../lib/keep.ts'
import { type EnterChoice, enterChoice } from '../../ui/enter.ts'
import { Section } from './section.tsx'

const densities: readonly (readonly [Density, string, string])[] = [
  ['compact', 'Compact', 'The whole cluster in one column.'],
  ['comfortable', 'Comfortable', 'Rows a third taller.'],
]

const themes: readonly (readonly [Choice, string, string])[] = [
  ['system', 'System', 'As this device is set.'],
  ['dark', 'Dark', 'Always.'],
  ['light', 'Light', 'Always.'],
]

const enters: readonly (readonly [EnterChoice, string, string])[] = [
  ['auto', 'Enter as the keyboard', 'On the screen it breaks the line, elsewhere it sends.'],
  ['send', 'Enter sends', 'Shift and Enter break the line.'],
  ['line', 'Enter breaks the line', 'The button sends, and so do Ctrl and Enter. This choice counts in this browser.'],
]

export function Display() {
  const [enter, setEnter] = useState(enterChoice)
  const [choice, setChoice] = useState(themeChoice)
  const [density, setDensity] = useState(densityChoice)
  const [hasLetters, setLetters] = useState(chosen('letters') !== 'off')
  const [isOwn, setOwn] = useState(choosesHere)
  const [problem, setProblem] = useState<string>()
  const look = () => {
    setChoice(themeChoice())
    setDensity(densityChoice())
    setLetters(chosen('letters') !== 'off')
    setOwn(choosesHere())
  }
  const saveForAll = async () => {
    setProblem(undefined)
    try {
      takeDisplay(await keepDisplay(displayHere()))
      chooseNothingHere()
      look()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Section id="display" title="Display">
      <fieldset className="fact-list choices">
        <legend className="vh">Theme</legend>
        {themes.map(([value, name, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              checked={choice === value}
              onChange={() => {
                chooseTheme(value)
                look()
              }}
            />
            <b>{name}</b>
            <span className="text-soft">{words}</span>
          </label>
        ))}
      </fieldset>
      <fieldset className="fact-list choices">
        <legend className="vh">Density</legend>
        {densities.map(([value, name, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="density"
              checked={density === value}
              onChange={() => {
                chooseDensity(value)
                look()
              }}
            />
            <b>{name}</b>
            <span className="text-soft">{words}</span>
          </label>
        ))}
      </fieldset>
      <fieldset className="fact-list choices">
        <legend className="vh">Enter in a message</legend>
        {enters.map(([value, name, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="enter"
              checked={enter === value}
              onChange={() => {
                keep.set('enter', value)
                setEnter(value)
              }}
            />
            <b>{name}</b>
            <span className="text-soft">{words}</span>
          </label>
        ))}
      </fieldset>
      <div className="fact-list choices">
        <label>
          <input
            type="checkbox"
            checked={hasLetters}
            onChange={(event) => {
              keep.set('letters', event.currentTarget.checked ? 'on' : 'off')
              look()
            }}
          />
          <b>Single-letter keys</b>
          <span className="text-soft">
            Such as <kbd>g</kbd> <kbd>j</kbd> for the journal; <kbd>?</kbd> shows them all.
          </span>
        </label>
      </div>
      <p>
        {isOwn
          ? 'Chosen in this browser alone. Your other browsers keep theirs.'
          : 'As in all your browsers. A choice here counts in this one alone.'}
      </p>
      {isOwn && (
        <p className="two-acts">
          <button type="button" className="button small" onClick={() => void saveForAll()}>
            Use this in all my browsers
          </button>
          <button
            type="button"
            className="button small quiet"
            onClick={() => {
              chooseNothingHere()
              look()
            }}
          >
            Follow my other browsers
          </button>
        </p>
      )}
      <FormProblem text={problem} />
      <p>Where this device asks for less motion, nothing moves here; what works says so in words.</p>
    </Section>
  )
}
