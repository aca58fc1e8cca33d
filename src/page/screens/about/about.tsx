// What this is: versions, licences, keys of the keyboard, and the certificate of the farm.
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Fact } from '../../parts/bits.tsx';
import { KeyList } from '../../parts/keys.tsx';
import { Certificate } from './certificate.tsx';

/** As the service wrote them into the page that it sent. */
const contentOf = (selector: string, attribute: string): string | undefined =>
  document.head.querySelector(selector)?.getAttribute(attribute) ?? undefined;

export function About() {
  const { about: texts, keys } = useTexts();
  const { farm } = useFarm();
  const [, build] = /page\.(\w+)\.js$/.exec(contentOf('script[type=module]', 'src') ?? '') ?? [];
  return (
    <section>
      <h1>{texts.title}</h1>
      <dl class="facts">
        <Fact name={texts.version}>{contentOf('meta[name=version]', 'content') ?? '–'}</Fact>
        <Fact name={texts.build}>{build ?? '–'}</Fact>
      </dl>
      <ul class="links places">
        <li>
          <a href={`/f/${farm.id}/help`}>{texts.handbook}</a>
        </li>
        <li>
          {/* It is a text, and no part of this page. */}
          <a href="/page/licences.txt" target="_blank" rel="noreferrer">
            {texts.licences}
          </a>
        </li>
      </ul>
      <p class="note">{texts.licencesHint}</p>
      <Certificate />
      <h2>{texts.keys}</h2>
      <KeyList list={keys.list} />
    </section>
  );
}
