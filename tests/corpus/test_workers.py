from regard.corpus.workers import cores


def test_the_cores_are_those_that_this_process_may_use(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {2, 3, 7}, raising=False)
    assert cores() == 3
    monkeypatch.delattr("os.sched_getaffinity")
    for counted, known in ((11, 11), (None, 1)):
        monkeypatch.setattr("os.cpu_count", lambda counted=counted: counted)
        assert cores() == known
