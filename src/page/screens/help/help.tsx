// The handbook: its topics, and one of them as a page.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading } from '../../parts/bits.tsx';
import { Blocks } from './blocks.tsx';
import { loadTopic } from './load-topic.ts';
import { type Block, plainText, readMarkdown } from './markdown.ts';
import { isTopic, TOPICS, type Topic } from './topics.data.ts';

export function Help() {
  const { params } = useRoute();
  const texts = useTexts();
  const { topic } = params;
  if (topic === undefined) return <Topics />;
  return isTopic(topic) ? <TopicPage key={topic} topic={topic} /> : <p class="note">{texts.common.notFound}</p>;
}

function Topics() {
  const { farm } = useFarm();
  const { language } = useApp();
  const texts = useTexts();
  return (
    <section>
      <h1>{texts.help.title}</h1>
      {language.value !== 'en' && <p class="note">{texts.help.other}</p>}
      <ul class="links places">
        {TOPICS.map((topic) => (
          <li key={topic}>
            <a href={`/f/${farm.id}/help/${topic}`}>{texts.help.topics[topic]}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TopicPage({ topic }: { topic: Topic }) {
  const { farm } = useFarm();
  const texts = useTexts();
  const { build } = useApp();
  const blocks = useSignal<readonly Block[] | 'failed' | undefined>(undefined);
  useEffect(() => {
    loadTopic(topic).then(
      (text) => {
        blocks.value = readMarkdown(text);
      },
      () => {
        blocks.value = 'failed';
        void build.check();
      },
    );
  }, [topic]);
  const read = blocks.value;
  return (
    <article class="handbook">
      <p>
        <a class="act" href={`/f/${farm.id}/help`}>
          {texts.help.title}
        </a>
      </p>
      {read === undefined && <Loading />}
      {read === 'failed' && (
        <p class="note note-bad" role="alert">
          {texts.help.failed}
        </p>
      )}
      {read !== undefined && read !== 'failed' && (
        <div lang="en">
          <Contents blocks={read} />
          <Blocks blocks={read} />
        </div>
      )}
    </article>
  );
}

function Contents({ blocks }: { blocks: readonly Block[] }) {
  const texts = useTexts();
  const headings = blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block] : []));
  if (headings.length < 3) return null;
  return (
    <details class="fold">
      <summary>{texts.help.contents}</summary>
      <ul class="links">
        {headings.map(({ id, spans }) => (
          <li key={id}>
            <a href={`#${id}`}>{plainText(spans)}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
