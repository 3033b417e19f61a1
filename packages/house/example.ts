import { House, type Life } from 'house'

type Kinds = { greetings: { language: string; say(name: string): string } }
type FactTypes = { 'guest.arrived': { name: string } }

const english = {
  name: 'english',
  open: (_needs: object) =>
    ({
      contributes: { greetings: [{ language: 'en', say: (name: string) => `Hello ${name}` }] },
    }) satisfies Life<Kinds>,
}

const porch = {
  name: 'porch',
  open({ facts }: { facts: House<Kinds, FactTypes>['facts'] }) {
    return { arrive: facts.teller('guest.arrived') }
  },
}

const hall = {
  name: 'hall',
  open({
    facts,
    greetings,
  }: {
    facts: House<Kinds, FactTypes>['facts']
    greetings: { get(language: string): Kinds['greetings'] | undefined }
  }) {
    const said: string[] = []
    facts.on('guest.arrived', ({ name }) => said.push(greetings.get('en')?.say(name) ?? name))
    return { said }
  },
}

/** Opens three rooms, starts them, tells a fact and stops them. */
export async function example(): Promise<readonly string[]> {
  const house = new House<Kinds, FactTypes>({
    kinds: { greetings: ({ language }) => language },
    report: (error) => {
      throw error
    },
    stopMs: 1_000,
  })
  const { facts } = house
  house.open(english, {})
  const { arrive } = house.open(porch, { facts })
  const { said } = house.open(hall, { facts, greetings: house.registry('greetings') })
  house.resume()
  await house.start()
  arrive({ name: 'Ada' })
  await house.stop()
  return said
}
