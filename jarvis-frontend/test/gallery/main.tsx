import { createRoot } from 'react-dom/client'
import { LocationProvider } from '../../src/lib/location.tsx'
import { rows } from './rows.tsx'
import '../../src/app/pages.css'
import './gallery.css'

/** Every shared component in each of its states, from fixed data. `?rtl` writes from right to left. */
function Gallery() {
  return (
    <main className="gallery">
      <h1>Components</h1>
      {rows.map(({ name, states }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          {Object.entries(states).map(([state, shown]) => (
            <figure key={state}>
              <figcaption>{state}</figcaption>
              <div>{shown}</div>
            </figure>
          ))}
        </section>
      ))}
    </main>
  )
}

if (new URLSearchParams(location.search).has('rtl')) document.documentElement.dir = 'rtl'
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <LocationProvider>
      <Gallery />
    </LocationProvider>,
  )
