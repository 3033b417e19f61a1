// Runs in the page before its own scripts: keeps what the browser itself measures.
const bench = { tasks: [], keys: [], frames: [], firstPaintMs: 0, largestPaintMs: 0, shift: 0, isCounting: false }
globalThis.bench = bench

function observe(type, take, options = {}) {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) take(entry)
  }).observe({ type, buffered: true, ...options })
}
observe('longtask', ({ startTime, duration }) => bench.tasks.push({ at: startTime, ms: duration }))
observe('event', ({ name, duration }) => name === 'keydown' && bench.keys.push(duration), { durationThreshold: 16 })
observe('largest-contentful-paint', ({ startTime }) => {
  bench.largestPaintMs = startTime
})
observe('layout-shift', ({ value, hadRecentInput }) => {
  if (!hadRecentInput) bench.shift += value
})
observe('paint', ({ name, startTime }) => {
  if (name === 'first-contentful-paint') bench.firstPaintMs = startTime
})

const frame = () => new Promise((done) => requestAnimationFrame(done))

/** Counts frames and long tasks from here on. */
bench.count = () => {
  Object.assign(bench, { tasks: [], keys: [], frames: [], isCounting: true })
  let last
  const tick = (now) => {
    if (last !== undefined) bench.frames.push(now - last)
    last = now
    if (bench.isCounting) requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
}
bench.stop = () => {
  bench.isCounting = false
  return { tasks: bench.tasks.map(({ ms }) => ms), keys: bench.keys, frames: bench.frames }
}

/** Reads all of a session, from its end to its start. */
bench.readAll = async () => {
  for (;;) {
    const button = document.querySelector('.earlier')
    if (button === null) return
    if (!button.disabled) button.click()
    await frame()
  }
}
bench.toEnd = async () => {
  const stream = document.querySelector('.stream')
  for (let still = 0; still < 5; ) {
    stream.scrollTop = stream.scrollHeight
    await frame()
    still = stream.scrollHeight - stream.scrollTop - stream.clientHeight < 4 ? still + 1 : 0
  }
}
/** Tries the lost link again. @returns ms until it is back and the screen's end holds the answer to `message` */
bench.reattach = async (message) => {
  const since = performance.now()
  document.querySelector('.strip.lost button').click()
  for (;;) {
    const last = [...document.querySelectorAll('[data-row]')].at(-1)
    const isWhole = last.querySelector('.user p')?.textContent === message && last.querySelector('.usage') !== null
    if (isWhole && document.querySelector('.strip.lost') === null) return performance.now() - since
    await frame()
  }
}
/** Upwards as a fast wheel does, then in leaps over the whole session. */
bench.scroll = async () => {
  const stream = document.querySelector('.stream')
  for (let at = 0; at < 240; at++) {
    stream.scrollTop -= 240
    await frame()
  }
  for (let at = 0; at < 40; at++) {
    stream.scrollTop = (stream.scrollHeight * ((at * 7) % 40)) / 40
    await frame()
    await frame()
  }
}
