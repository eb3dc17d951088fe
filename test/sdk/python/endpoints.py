"""Calls every endpoint beside the chats with the official libraries of Python, and prints what they read.

One JSON object: the name of each call, and its result in few words. A call that fails ends the program.
"""

import json
import os
import sys
import time

import cohere
from google import genai
from openai import OpenAI

URL = os.environ["TOLLGATE_URL"]
KEY = os.environ["TOLLGATE_KEY"]
FOLDER = sys.argv[1]

openai = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
google = genai.Client(
    api_key="unused",
    http_options={"base_url": URL, "headers": {"Authorization": f"Bearer {KEY}"}},
)
ranker = cohere.ClientV2(api_key=KEY, base_url=URL)


def said(name, words="tokens=12"):
    """A prompt whose directive names the call."""
    return f"Count the boats. [[sim tag=py-{name} {words}]]"


def opened(name):
    return open(os.path.join(FOLDER, name), "rb")


def embeddings():
    answer = openai.embeddings.create(model="m-embeddings", input=[said("embeddings")], dimensions=32)
    return {"numbers": len(answer.data[0].embedding), "tokens": answer.usage.prompt_tokens}


def moderations():
    answer = openai.moderations.create(model="m-moderations", input=said("moderations"))
    return {"flagged": answer.results[0].flagged}


def completions():
    answer = openai.completions.create(model="m-completions", prompt=said("completions"), max_tokens=80)
    return {"text": answer.choices[0].text, "tokens": answer.usage.completion_tokens}


def completions_streamed():
    stream = openai.completions.create(
        model="m-completions", prompt=said("completions-streamed"), max_tokens=80, stream=True
    )
    return {"text": "".join(chunk.choices[0].text for chunk in stream if chunk.choices)}


def speech():
    arguments = {"model": "m-speech", "voice": "alloy", "input": said("speech", "pace=5")}
    with openai.audio.speech.with_streaming_response.create(**arguments) as answer:
        pieces = list(answer.iter_bytes(chunk_size=512))
    return {"bytes": sum(len(piece) for piece in pieces), "pieces": len(pieces)}


def transcriptions():
    with opened("silence.wav") as file:
        answer = openai.audio.transcriptions.create(
            model="m-transcribed", file=file, prompt=said("transcriptions")
        )
    return {"text": answer.text}


def transcriptions_streamed():
    with opened("silence.wav") as file:
        stream = openai.audio.transcriptions.create(
            model="m-transcribed", file=file, prompt=said("transcriptions-streamed"), stream=True
        )
        return {"text": "".join(event.delta for event in stream if event.type == "transcript.text.delta")}


def translations():
    with opened("silence.wav") as file:
        answer = openai.audio.translations.create(model="m-translated", file=file, prompt=said("translations"))
    return {"text": answer.text}


def variations():
    with opened("boat.png") as image:
        answer = openai.images.create_variation(model="m-varied", image=image, n=1, user=said("variations"))
    return {"pictures": len(answer.data)}


def rerank():
    answer = ranker.rerank(model="m-units", query="boats", documents=[said("rerank"), "Bread."], top_n=1)
    return {"results": len(answer.results), "units": answer.meta.billed_units.search_units}


def embed_content():
    answer = google.models.embed_content(
        model="m-batch", contents=said("embed-content"), config={"output_dimensionality": 32}
    )
    return {"numbers": len(answer.embeddings[0].values)}


def background():
    """An answer that is asked for until it is there, and one that is cancelled."""
    begun = openai.responses.create(model="m-responses", input=said("background"), background=True)
    answer = begun
    for _ in range(200):
        answer = openai.responses.retrieve(begun.id)
        if answer.status not in ("queued", "in_progress"):
            break
        time.sleep(0.05)
    other = openai.responses.create(
        model="m-responses", input=said("cancelled", "tokens=12 delay=20000"), background=True
    )
    cancelled = openai.responses.cancel(other.id)
    return {"begun": begun.status, "status": answer.status, "text": answer.output_text, "other": cancelled.status}


def compact():
    answer = openai.responses.compact(model="m-compact", input=[{"role": "user", "content": said("compact")}])
    return {"object": answer.object, "items": [item.type for item in answer.output][-1:]}


def conversations():
    made = openai.conversations.create(metadata={"topic": "boats"})
    answer = openai.responses.create(model="m-responses", input=said("conversations"), conversation=made.id)
    roles = [item.role for item in openai.conversations.items.list(made.id, order="asc")]
    openai.conversations.delete(made.id)
    return {"text": answer.output_text, "roles": roles}


def refused():
    """An error of the gateway is one of the library."""
    try:
        openai.embeddings.create(model="nobody-has-this", input="x")
    except Exception as error:  # noqa: BLE001
        return {"type": type(error).__name__, "status": error.status_code, "code": error.code}
    return {}


CALLS = [
    embeddings,
    moderations,
    completions,
    completions_streamed,
    speech,
    transcriptions,
    transcriptions_streamed,
    translations,
    variations,
    rerank,
    embed_content,
    background,
    compact,
    conversations,
    refused,
]

print(json.dumps({call.__name__: call() for call in CALLS}))
