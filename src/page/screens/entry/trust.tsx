// How a phone comes to trust the certificate of a farm.
import { useTexts } from '../../app-state.ts';

export function Trust() {
  const texts = useTexts();
  return (
    <main class="entry">
      <h1>{texts.trust.title}</h1>
      <p>{texts.trust.why}</p>
      <p>
        <a class="act act-main" href="/trust/farm.crt" download="pithead-farm.crt">
          {texts.trust.download}
        </a>
      </p>
      <ol>
        {texts.trust.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="note">{texts.trust.compare}</p>
    </main>
  );
}
