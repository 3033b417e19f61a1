import { useState } from 'react'
import { chooseDensity, type Density, densityChoice } from '../../app/density.ts'
import { type Choice, chooseTheme, themeChoice } from '../../app/theme.ts'
import { keep } from '../../lib/keep.ts'
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

export function Display() {
  const [choice, setChoice] = useState(themeChoice)
  const [density, setDensity] = useState(densityChoice)
  const [hasLetters, setLetters] = useState(keep.get('letters') !== 'off')
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
                setChoice(value)
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
                setDensity(value)
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
              keep.set('letters', event.currentTarget.checked ? undefined : 'off')
              setLetters(event.currentTarget.checked)
            }}
          />
          <b>Single-letter keys</b>
          <span className="text-soft">
            Such as <kbd>g</kbd> <kbd>j</kbd> for the journal; <kbd>?</kbd> shows them all. Kept in this browser.
          </span>
        </label>
      </div>
      <p>Where this device asks for less motion, nothing moves here; what works says so in words.</p>
    </Section>
  )
}
