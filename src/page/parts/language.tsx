// The choice of the language, in the languages' own words.
import { useApp, useTexts } from '../app-state.ts';
import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from '../text/texts.ts';

export function LanguageChoice() {
  const app = useApp();
  const texts = useTexts();
  return (
    <label class="language">
      {texts.common.language}
      <select
        value={app.language.value}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) void app.speak(value);
        }}
      >
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
    </label>
  );
}
